"""Writes triples: one batch of rows in a few statements, each id once. Nothing else stores samples."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, fields
from datetime import datetime

from django.db import connection
from django.utils import timezone

from datasets_app.db.bulk_insert import insert
from datasets_app.db.uuids import among
from datasets_app.ingest.other_claims import keep_claims
from datasets_app.ingest.row_batches import RowBatch, RowValues, SampleValues, TaskValues
from datasets_app.ingest.withdraw import bring_back, undone_among
from datasets_app.models import Ingest, Operator, Sample, SampleBody, Task, TaskBody, TaskFinding

WRITER_LOCK = 0x636F6E63  # differs from every other advisory lock of the project


@dataclass(frozen=True)
class Tally:
    """The counts of a batch. rows = refused + duplicates + rows that added something."""

    rows: int = 0
    new_tasks: int = 0
    new_samples: int = 0
    restored_samples: int = 0
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
    """Take a lock until the end of the transaction, so that two ingests count a new row once. SQLite needs none."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [WRITER_LOCK])


class NewRows:
    """The rows of a batch, and those of their tasks and samples that are new, or withdrawn by an undoing.

    A sample that somebody withdrew by itself was judged by itself: it stays withdrawn, and its row is a duplicate.
    """

    def __init__(self, batch: RowBatch) -> None:
        self.rows = batch.rows
        self.stored_tasks = stored(Task, batch.tasks)
        self.stored_samples = stored(Sample, {row.sample.id for row in batch.rows if row.sample})
        self.undone = undone_among(self.stored_samples) if self.stored_samples else set()
        self.restored: set[str] = set()
        self.again: list[SampleValues] = []
        self.tasks: dict[str, TaskValues] = {}
        self.samples: dict[str, tuple[str, SampleValues]] = {}  # with the task's id
        self.duplicates = sum(not self.add(row, batch.tasks) for row in batch.rows)

    def add(self, row: RowValues, tasks: dict[str, TaskValues]) -> bool:
        """Collect what is new in one row. Return whether there was anything."""
        before = self.size()
        for pk in row.task_ids:
            if pk not in self.stored_tasks:
                self.tasks[pk] = tasks[pk]
        if sample := row.sample:
            if sample.id in self.stored_samples or sample.id in self.samples:
                self.again.append(sample)
                if sample.id in self.undone:
                    self.restored.add(sample.id)
            else:
                self.samples[sample.id] = row.task_ids[0], sample
        return self.size() > before

    def size(self) -> int:
        return len(self.tasks) + len(self.samples) + len(self.restored)

    def tally(self) -> Tally:
        return Tally(
            rows=len(self.rows),
            new_tasks=len(self.tasks),
            new_samples=len(self.samples),
            restored_samples=len(self.restored),
            task_only_rows=sum(row.sample is None for row in self.rows),
            duplicates=self.duplicates,
        )


def stored(model: type[Task] | type[Sample], ids: Collection[str]) -> set[str]:
    return {pk.hex for pk in model.objects.filter(pk__in=among(ids)).values_list("pk", flat=True)}


def write(batch: RowBatch, ingest: Ingest) -> Tally:
    """Store what is new in the batch, inside the caller's transaction. Return exact counts."""
    one_writer_at_a_time()
    new = NewRows(batch)
    write_tasks(new.tasks.values(), ingest)
    keep_licences(task for pk, task in batch.tasks.items() if pk in new.stored_tasks)
    write_samples(new.samples.values(), ingest)
    keep_claims(new.again, ingest)
    if new.restored:
        bring_back(new.restored, ingest)
    return new.tally()


TASK_COLUMNS = (
    *("id", "name", "kind", "operator_count", "suite", "level", "problem", "external_id"),
    *("own_licence", "source_id", "created_at"),
)


def write_tasks(tasks: Collection[TaskValues], ingest: Ingest) -> None:
    now = timezone.now()
    insert(Task, TASK_COLUMNS, (task_row(task, ingest, now) for task in tasks))
    insert(
        TaskBody,
        ("task_id", "pytorch_code", "extra"),
        ((task.id, task.program, task.extra) for task in tasks),
    )
    link_operators({task.id: task.operators for task in tasks})
    codes = ((task.id, code, True) for task in tasks for code in task.findings)
    insert(TaskFinding, ("task_id", "code", "by_source"), codes)


def keep_licences(tasks: Iterable[TaskValues]) -> None:
    """Fill in the licences of programs that came from another source first."""
    by_licence: dict[str, list[str]] = {}
    for task in tasks:
        if task.licence:
            by_licence.setdefault(task.licence, []).append(task.id)
    for licence, ids in by_licence.items():
        Task.objects.filter(pk__in=ids, own_licence="").update(own_licence=licence)


def task_row(task: TaskValues, ingest: Ingest, now: datetime) -> tuple[object, ...]:
    """Return the values in the order of TASK_COLUMNS."""
    return (
        task.id,
        task.name,
        task.kind,
        len(task.operators),
        task.suite,
        task.level,
        task.problem,
        task.external_id,
        task.licence,
        ingest.source_id,
        now,
    )


def link_operators(names: dict[str, list[str]]) -> None:
    wanted = {name[:80] for operators in names.values() for name in operators}
    Operator.objects.bulk_create((Operator(name=name) for name in sorted(wanted)), ignore_conflicts=True)
    keys = dict(Operator.objects.filter(name__in=wanted).values_list("name", "pk"))
    pairs = ((pk, keys[name[:80]]) for pk, operators in names.items() for name in operators)
    insert(Task.operators.through, ("task_id", "operator_id"), pairs)


SAMPLE_COLUMNS = (
    *("id", "task_id", "source_id", "generator", "sampling", "language", "external_id", "turn", "has_trace"),
    *("trace_tokens", "tokenizer", "kernel_bytes", "claimed_speedup", "claimed_correct", "claimed_device"),
    *("ingest_id", "created_at"),
)


def write_samples(samples: Collection[tuple[str, SampleValues]], ingest: Ingest) -> None:
    insert(Sample, SAMPLE_COLUMNS, sample_rows(samples, ingest))
    insert(
        SampleBody,
        ("sample_id", "reasoning", "kernel_code", "feedback", "claims", "is_program", "extra"),
        (
            (row.id, row.reasoning, row.kernel, row.feedback, row.claims, row.is_program, row.extra)
            for _, row in samples
        ),
    )


def sample_rows(
    samples: Collection[tuple[str, SampleValues]], ingest: Ingest
) -> Iterator[tuple[object, ...]]:
    """Yield the values in the order of SAMPLE_COLUMNS."""
    now = timezone.now()
    for task, sample in samples:
        yield (
            sample.id,
            task,
            ingest.source_id,
            sample.generator,
            sample.sampling,
            sample.language,
            sample.external_id,
            sample.turn,
            sample.trace_tokens is not None,
            sample.trace_tokens,
            sample.tokenizer,
            sample.kernel_bytes,
            sample.claimed_speedup,
            sample.claimed_correct,
            sample.claimed_device,
            ingest.pk,
            now,
        )
