"""The one writer of triples: a portion of rows into the store, in a few statements, each id once."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, fields
from datetime import datetime

from django.db import connection
from django.utils import timezone

from datasets_app.ingest.checks import examine
from datasets_app.ingest.claims import keep_claims
from datasets_app.ingest.inserting import insert
from datasets_app.ingest.parents import keep_reference
from datasets_app.ingest.prepared import Ready
from datasets_app.ingest.rows import SamplePart, TaskPart
from datasets_app.models import Ingest, Operator, Sample, SampleBody, Task, TaskBody
from datasets_app.programs import detect_language
from datasets_app.tokens import tokenizer_name

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
    """Some rows, and which of their ids are new."""

    def __init__(self, rows: list[Ready]) -> None:
        self.rows = rows
        stored_tasks = stored(Task, {pk for row in rows for pk in row.task_ids})
        stored_samples = stored(Sample, {row.sample_id for row in rows if row.sample_id})
        self.claims: list[tuple[uuid.UUID, SamplePart]] = []
        self.tasks: dict[uuid.UUID, TaskPart] = {}
        self.samples: dict[uuid.UUID, Ready] = {}
        self.duplicates = sum(not self.add(row, stored_tasks, stored_samples) for row in rows)

    def add(self, ready: Ready, stored_tasks: set[uuid.UUID], stored_samples: set[uuid.UUID]) -> bool:
        """Take what is new in one row; whether there was anything."""
        before = len(self.tasks) + len(self.samples)
        row, pk = ready.row, ready.sample_id
        for task_pk, part in zip(ready.task_ids, row.tasks, strict=True):
            if task_pk not in stored_tasks:
                self.tasks.setdefault(task_pk, part)
        if row.sample and pk:
            if pk in stored_samples or pk in self.samples:
                self.claims.append((pk, row.sample))
            else:
                self.samples[pk] = ready
        return len(self.tasks) + len(self.samples) > before

    def tally(self) -> Tally:
        return Tally(
            rows=len(self.rows),
            new_tasks=len(self.tasks),
            new_samples=len(self.samples),
            task_only_rows=sum(ready.row.sample is None for ready in self.rows),
            duplicates=self.duplicates,
        )


def stored(model: type[Task] | type[Sample], ids: set[uuid.UUID]) -> set[uuid.UUID]:
    return set(model.objects.filter(pk__in=ids).values_list("pk", flat=True))


def write(rows: list[Ready], ingest: Ingest) -> Tally:
    """Store what is new in `rows`. Call it inside a transaction; the counts are exact."""
    one_writer_at_a_time()
    batch = Batch(rows)
    write_tasks(batch.tasks, ingest)
    write_samples(batch.samples, ingest)
    keep_claims(batch.claims, ingest)
    return batch.tally()


TASK_COLUMNS = (
    *("id", "name", "kind", "operator_count", "suite", "level", "problem", "external_id"),
    *("source_id", "created_at"),
)


def write_tasks(parts: dict[uuid.UUID, TaskPart], ingest: Ingest) -> None:
    analyses = {pk: examine(part.program).analysis for pk, part in parts.items()}
    now = timezone.now()
    insert(
        Task,
        TASK_COLUMNS,
        (
            (
                pk,
                part.name or f"task {str(pk)[:8]}",
                part.kind or analyses[pk].kind.value,
                len(analyses[pk].operators),
                part.suite,
                part.level,
                part.problem,
                part.external_id,
                ingest.source_id,
                now,
            )
            for pk, part in parts.items()
        ),
    )
    bodies = ((pk, part.program, part.extra) for pk, part in parts.items())
    insert(TaskBody, ("task_id", "pytorch_code", "extra"), bodies)
    link_operators({pk: found.operators for pk, found in analyses.items()})


def link_operators(names: dict[uuid.UUID, tuple[str, ...]]) -> None:
    wanted = {name[:80] for found in names.values() for name in found}
    Operator.objects.bulk_create((Operator(name=name) for name in sorted(wanted)), ignore_conflicts=True)
    known = dict(Operator.objects.filter(name__in=wanted).values_list("name", "pk"))
    pairs = ((pk, known[name[:80]]) for pk, found in names.items() for name in found)
    insert(Task.operators.through, ("task_id", "operator_id"), pairs)


SAMPLE_COLUMNS = (
    *("id", "task_id", "source_id", "generator", "sampling", "language", "external_id", "turn", "has_trace"),
    *("trace_tokens", "tokenizer", "kernel_bytes", "claimed_speedup", "claimed_correct", "claimed_device"),
    *("ingest_id", "created_at"),
)


def write_samples(samples: dict[uuid.UUID, Ready], ingest: Ingest) -> None:
    now = timezone.now()
    insert(Sample, SAMPLE_COLUMNS, (sample_values(ready, ingest, now) for ready in samples.values()))
    bodies = (body_values(pk, ready.row.sample) for pk, ready in samples.items() if ready.row.sample)
    insert(SampleBody, ("sample_id", "reasoning", "kernel_code", "feedback", "extra"), bodies)


def sample_values(ready: Ready, ingest: Ingest, now: datetime) -> tuple[object, ...]:
    """In the order of SAMPLE_COLUMNS."""
    part = ready.row.sample
    assert part is not None
    return (
        ready.sample_id,
        ready.task_ids[0],
        ingest.source_id,
        part.generator,
        part.sampling,
        part.language or detect_language(part.kernel),
        part.external_id,
        part.turn,
        bool(part.reasoning),
        ready.trace_tokens if part.reasoning else None,
        tokenizer_name() if part.reasoning else "",
        len(part.kernel.encode()),
        part.claimed_speedup,
        part.claimed_correct,
        part.claimed_device,
        ingest.pk,
        now,
    )


def body_values(pk: uuid.UUID, part: SamplePart) -> tuple[object, ...]:
    return pk, part.reasoning, part.kernel, part.feedback, keep_reference(part)
