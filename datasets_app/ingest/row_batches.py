"""Rows with the values that will be stored, as far as they need no database, in batches of one transaction each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

from datasets_app.ingest import limits
from datasets_app.ingest.budget import Item, watched
from datasets_app.ingest.portions import portions
from datasets_app.ingest.relatives import keep_references, names_relative
from datasets_app.ingest.rows import LeftOut, Record, Refusal, Row, SamplePart, TaskPart
from datasets_app.ingest.source_file import SourceFile
from datasets_app.models.identity import sample_id, task_id
from datasets_app.syntax.languages import detect_language
from datasets_app.traces.lengths import count_all, tokenizer_name


class TaskValues(NamedTuple):
    """A task and its texts; its id as 32 hexadecimal digits."""

    id: str
    name: str
    kind: str
    operators: list[str]
    suite: str
    level: int | None
    problem: int | None
    external_id: str
    licence: str
    program: str
    extra: dict[str, Any]
    findings: tuple[str, ...]


class SampleValues(NamedTuple):
    """A sample and its texts; its id as 32 hexadecimal digits."""

    id: str
    generator: str
    sampling: dict[str, Any]
    language: str
    external_id: str
    turn: int
    trace_tokens: int | None  # None if there is no trace
    tokenizer: str
    kernel_bytes: int
    claimed_speedup: float | None
    claimed_correct: bool | None
    claimed_device: str
    reasoning: str
    kernel: str
    feedback: str
    claims: list[dict[str, Any]]
    is_program: bool
    extra: dict[str, Any]


class RowValues(NamedTuple):
    """A row: the ids of its tasks, that of its sample first, and the sample. The batch holds each task once."""

    task_ids: list[str]
    sample: SampleValues | None


@dataclass
class RowBatch:
    """The rows that one transaction stores: few enough that other writers do not wait long."""

    tasks: dict[str, TaskValues] = field(default_factory=dict)
    rows: list[RowValues] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)  # for a reader that stores them itself
    refusals: list[Refusal] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    unused: set[str] = field(default_factory=set)  # columns

    def names_relatives(self) -> bool:
        return any(row.sample and names_relative(row.sample.extra) for row in self.rows)


def remaining_batches(
    items: Iterable[Item], file: SourceFile, counted: int
) -> Iterator[tuple[int, RowBatch]]:
    """Yield the batches after the first `counted` items, each with the bytes read so far."""
    within_budget = watched(items, file.budget, file.size_bytes)
    for batch in row_batches(islice(within_budget, counted, None)):
        yield file.bytes_read, batch


def row_batches(items: Iterable[Item]) -> Iterator[RowBatch]:
    """Yield the items in batches of bounded rows and bytes.

    Where the file breaks off, the items before the break come as a last batch, and then the error is raised.
    """
    for batch, failure in portions(items, limits.BATCH_ROWS, limits.BATCH_BYTES):
        if batch:
            yield row_batch(batch)
        if failure:
            raise failure


def row_batch(items: Iterable[Item]) -> RowBatch:
    batch, rows = RowBatch(), []
    for item in items:
        if isinstance(item, Row):
            rows.append(item)
            batch.left_out.extend(item.left_out)
            batch.unused.update(item.unused)
        elif isinstance(item, Record):
            batch.records.append(item)
        else:
            batch.refusals.append(item)
    counts = count_all([row.sample.reasoning if row.sample else "" for row in rows])
    batch.rows = [row_values(row, count, batch.tasks) for row, count in zip(rows, counts, strict=True)]
    return batch


def row_values(row: Row, trace_tokens: int, tasks: dict[str, TaskValues]) -> RowValues:
    """Return the values of one row, and add those of its tasks that `tasks` lacks."""
    ids = [task_id(part.program).hex for part in row.tasks]
    for pk, part in zip(ids, row.tasks, strict=True):
        if pk not in tasks:
            tasks[pk] = task_values(pk, part)
    return RowValues(ids, sample_values(row.task, row.sample, trace_tokens) if row.sample else None)


def task_values(pk: str, part: TaskPart) -> TaskValues:
    return TaskValues(
        pk,
        part.name or f"task {pk[:8]}",
        part.kind or part.analysis.kind.value,
        list(part.analysis.operators),
        part.suite,
        part.level,
        part.problem,
        part.external_id,
        part.licence,
        part.program,
        dict(part.extra),
        part.findings,
    )


def sample_values(task: TaskPart, part: SamplePart, trace_tokens: int) -> SampleValues:
    return SampleValues(
        sample_id(task.program, part.reasoning, part.kernel).hex,
        part.generator,
        dict(part.sampling),
        part.language or detect_language(part.kernel),
        part.external_id,
        part.turn,
        trace_tokens if part.reasoning else None,
        tokenizer_name() if part.reasoning else "",
        len(part.kernel.encode()),
        part.claimed_speedup,
        part.claimed_correct,
        part.claimed_device,
        part.reasoning,
        part.kernel,
        part.feedback,
        [claim.as_json() for claim in part.claims],
        part.is_program,
        keep_references(part),
    )
