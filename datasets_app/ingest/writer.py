"""The one writer of triples: a batch of rows into the store, in a few statements, each id once."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields

from django.db import connection

from datasets_app.identity import sample_id, task_id
from datasets_app.ingest.checks import examine
from datasets_app.ingest.claims import keep_claims
from datasets_app.ingest.parents import keep_reference
from datasets_app.ingest.rows import Row, SamplePart, TaskPart
from datasets_app.models import Ingest, Operator, Sample, SampleBody, Task, TaskBody
from datasets_app.programs import detect_language
from datasets_app.tokens import count_all, tokenizer_name

WRITER_LOCK = 0x636F6E63  # any number that no other lock of ours has


@dataclass(frozen=True)
class Tally:
    """What a batch came to. rows = refused + duplicates + rows that added something."""

    rows: int = 0
    new_tasks: int = 0
    new_samples: int = 0
    new_records: int = 0
    task_only_rows: int = 0
    duplicates: int = 0
    refused: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    @classmethod
    def of(cls, ingest: Ingest) -> Tally:
        return cls(*(getattr(ingest, f.name) for f in fields(cls)))


def one_writer_at_a_time() -> None:
    """Held to the end of the transaction, so that two ingests count a new row once. SQLite needs no such lock."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [WRITER_LOCK])


class Batch:
    """Some rows with their ids, and which of the ids are new."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self.rows = list(rows)
        self.task_ids = [[task_id(part.program) for part in row.tasks] for row in self.rows]
        self.sample_ids = [self.id_of_sample(row) for row in self.rows]
        stored_tasks = stored(Task, {pk for ids in self.task_ids for pk in ids})
        stored_samples = stored(Sample, {pk for pk in self.sample_ids if pk})
        self.claims: list[tuple[uuid.UUID, SamplePart]] = []
        self.tasks: dict[uuid.UUID, TaskPart] = {}
        self.samples: dict[uuid.UUID, tuple[SamplePart, uuid.UUID]] = {}
        self.duplicates = sum(not self.add(i, stored_tasks, stored_samples) for i in range(len(self.rows)))

    @staticmethod
    def id_of_sample(row: Row) -> uuid.UUID | None:
        return sample_id(row.task.program, row.sample.reasoning, row.sample.kernel) if row.sample else None

    def add(self, index: int, stored_tasks: set[uuid.UUID], stored_samples: set[uuid.UUID]) -> bool:
        """Take what is new in one row; whether there was anything."""
        before = len(self.tasks) + len(self.samples)
        row, pk = self.rows[index], self.sample_ids[index]
        for task_pk, part in zip(self.task_ids[index], row.tasks, strict=True):
            if task_pk not in stored_tasks:
                self.tasks.setdefault(task_pk, part)
        if row.sample and pk:
            if pk in stored_samples or pk in self.samples:
                self.claims.append((pk, row.sample))
            else:
                self.samples[pk] = (row.sample, self.task_ids[index][0])
        return len(self.tasks) + len(self.samples) > before

    def tally(self) -> Tally:
        return Tally(
            rows=len(self.rows),
            new_tasks=len(self.tasks),
            new_samples=len(self.samples),
            task_only_rows=sum(row.sample is None for row in self.rows),
            duplicates=self.duplicates,
        )


def stored(model: type[Task] | type[Sample], ids: set[uuid.UUID]) -> set[uuid.UUID]:
    return set(model.objects.filter(pk__in=ids).values_list("pk", flat=True))


def write(rows: Iterable[Row], ingest: Ingest) -> Tally:
    """Store what is new in `rows`. Call it inside a transaction; the counts are exact."""
    one_writer_at_a_time()
    batch = Batch(rows)
    write_tasks(batch.tasks, ingest)
    write_samples(batch.samples, ingest)
    keep_claims(batch.claims, ingest)
    return batch.tally()


def write_tasks(parts: dict[uuid.UUID, TaskPart], ingest: Ingest) -> None:
    analyses = {pk: examine(part.program).analysis for pk, part in parts.items()}
    Task.objects.bulk_create(
        Task(
            id=pk,
            name=part.name or f"task {str(pk)[:8]}",
            kind=part.kind or analyses[pk].kind,
            operator_count=len(analyses[pk].operators),
            suite=part.suite,
            level=part.level,
            problem=part.problem,
            external_id=part.external_id,
            source_id=ingest.source_id,
        )
        for pk, part in parts.items()
    )
    bodies = (TaskBody(task_id=pk, pytorch_code=part.program, extra=part.extra) for pk, part in parts.items())
    TaskBody.objects.bulk_create(bodies, batch_size=100)
    link_operators({pk: found.operators for pk, found in analyses.items()})


def link_operators(names: dict[uuid.UUID, tuple[str, ...]]) -> None:
    wanted = {name[:80] for found in names.values() for name in found}
    Operator.objects.bulk_create((Operator(name=name) for name in sorted(wanted)), ignore_conflicts=True)
    known = dict(Operator.objects.filter(name__in=wanted).values_list("name", "pk"))
    link = Task.operators.through
    pairs = ((pk, known[name[:80]]) for pk, found in names.items() for name in found)
    link.objects.bulk_create(link(task_id=task, operator_id=operator) for task, operator in pairs)


def write_samples(parts: dict[uuid.UUID, tuple[SamplePart, uuid.UUID]], ingest: Ingest) -> None:
    counts = count_all([part.reasoning for part, _ in parts.values()])
    rows = zip(parts.items(), counts, strict=True)
    Sample.objects.bulk_create(
        sample_row(pk, part, task, ingest, count) for (pk, (part, task)), count in rows
    )
    bodies = (sample_body(pk, part) for pk, (part, _) in parts.items())
    SampleBody.objects.bulk_create(bodies, batch_size=100)


def sample_row(pk: uuid.UUID, part: SamplePart, task: uuid.UUID, ingest: Ingest, trace_tokens: int) -> Sample:
    return Sample(
        id=pk,
        task_id=task,
        source_id=ingest.source_id,
        generator=part.generator,
        sampling=part.sampling,
        language=part.language or detect_language(part.kernel),
        external_id=part.external_id,
        turn=part.turn,
        has_trace=bool(part.reasoning),
        trace_tokens=trace_tokens if part.reasoning else None,
        tokenizer=tokenizer_name() if part.reasoning else "",
        kernel_bytes=len(part.kernel.encode()),
        claimed_speedup=part.claimed_speedup,
        claimed_correct=part.claimed_correct,
        claimed_device=part.claimed_device,
        ingest=ingest,
    )


def sample_body(pk: uuid.UUID, part: SamplePart) -> SampleBody:
    return SampleBody(
        sample_id=pk,
        reasoning=part.reasoning,
        kernel_code=part.kernel,
        feedback=part.feedback,
        extra=keep_reference(part),
    )


def batches(rows: Iterable[Row], size: int) -> Iterator[list[Row]]:
    batch: list[Row] = []
    for row in rows:
        batch.append(row)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
