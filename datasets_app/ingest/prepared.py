"""Rows with all that can be told of them without the database: ids, lengths, languages. In portions to be stored.

A portion is what one transaction stores: few enough rows that nobody else who writes waits long.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from datasets_app.identity import sample_id, task_id
from datasets_app.ingest import caps
from datasets_app.ingest.rows import IngestError, Record, Refusal, Row
from datasets_app.tokens import count_all

Item = Row | Record | Refusal


@dataclass(frozen=True)
class Ready:
    """A row and what follows from its texts."""

    row: Row
    task_ids: list[uuid.UUID]
    sample_id: uuid.UUID | None
    trace_tokens: int


@dataclass
class Portion:
    """What one transaction stores."""

    rows: list[Ready] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)  # of a reader that stores them itself
    refusals: list[Refusal] = field(default_factory=list)


def portions(items: Iterable[Item]) -> Iterator[Portion]:
    """Items in portions bounded in rows and in bytes.

    Where the file breaks off, what was read before the break comes as a last portion, and then the error.
    """
    for batch, failure in batches(items):
        if batch:
            yield portion(batch)
        if failure:
            raise failure


def batches(items: Iterable[Item]) -> Iterator[tuple[list[Item], IngestError | None]]:
    batch: list[Item] = []
    size = 0
    try:
        for item in items:
            batch.append(item)
            size += weight(item)
            if len(batch) >= caps.BATCH_ROWS or size >= caps.BATCH_BYTES:
                yield batch, None
                batch, size = [], 0
    except IngestError as error:
        yield batch, error
    else:
        yield batch, None


def weight(item: Item) -> int:
    """About the bytes that an item holds in memory."""
    if isinstance(item, Refusal):
        return len(item.raw)
    record = item.record if isinstance(item, Row) else item
    texts = sum(len(value) for value in record.values.values() if isinstance(value, str))
    return 2 * texts + len(record.raw)


def portion(items: Iterable[Item]) -> Portion:
    found, rows = Portion(), []
    for item in items:
        if isinstance(item, Row):
            rows.append(item)
        elif isinstance(item, Record):
            found.records.append(item)
        else:
            found.refusals.append(item)
    found.rows = ready(rows)
    return found


def ready(rows: list[Row]) -> list[Ready]:
    counts = count_all([row.sample.reasoning if row.sample else "" for row in rows])
    return [
        Ready(row, [task_id(part.program) for part in row.tasks], id_of_sample(row), count)
        for row, count in zip(rows, counts, strict=True)
    ]


def id_of_sample(row: Row) -> uuid.UUID | None:
    return sample_id(row.task.program, row.sample.reasoning, row.sample.kernel) if row.sample else None
