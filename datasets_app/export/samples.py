"""Samples as they are now, without a release: what the admin's export action writes."""

from collections.abc import Iterator
from typing import Any, BinaryIO

from datasets_app.db.snapshot import read_snapshot
from datasets_app.export.columns import Record, values
from datasets_app.export.formats import FORMATS
from datasets_app.models.licence import joined

CHUNK_ROWS = 50
TEXTS = {
    "pytorch_code": "task__body__pytorch_code",
    "reasoning": "body__reasoning",
    "kernel_code": "body__kernel_code",
}
# What a release would freeze, as a sample's row says it now.
SNAPSHOT = {
    "outcome": "outcome",
    "measured_speedup": "measured_speedup",
    "device": "device",
    "verdict": "verdict",
    "claimed_speedup": "claimed_speedup",
    "claimed_correct": "claimed_correct",
    "trace_tokens": "trace_tokens",
    "tokenizer": "tokenizer",
    "generator": "generator",
    "language": "language",
    "source": "source__name",
    "licence": "source__licence",
    "kind": "task__kind",
    "task_name": "task__name",
    "suite": "task__suite",
    "level": "task__level",
}
COLUMNS = (
    "id",
    "task_id",
    "external_id",
    "verified_at",
    "task__own_licence",
    *TEXTS.values(),
    *SNAPSHOT.values(),
)


def write_samples(queryset: Any, format: str, stream: BinaryIO) -> int:
    """Write the samples of `queryset` to `stream`, in the order of their ids, and say how many there were.

    They are read as of one moment: keep them few. Memory holds one chunk. Raises KeyError for an unknown format.
    """
    writer = FORMATS[format].open(stream)
    count = 0
    with read_snapshot():
        for row in rows(queryset.order_by("id").values(*COLUMNS)):
            writer.write(values(record(row)))
            count += 1
    writer.close()
    return count


def rows(samples: Any) -> Iterator[dict[str, Any]]:
    """By keyset: memory holds one chunk, and no query grows slower as it goes on."""
    chunk = list(samples[:CHUNK_ROWS])
    while chunk:
        yield from chunk
        chunk = list(samples.filter(id__gt=chunk[-1]["id"])[:CHUNK_ROWS])


def record(row: dict[str, Any]) -> Record:
    texts = {name: row[column] for name, column in TEXTS.items()}
    snapshot = {name: row[column] for name, column in SNAPSHOT.items()}
    snapshot["licence"] = joined(row["source__licence"], row["task__own_licence"])
    verified_at = row["verified_at"].isoformat(timespec="seconds") if row["verified_at"] else None
    return Record(
        id=str(row["id"]),
        task_id=str(row["task_id"]),
        external_id=row["external_id"],
        snapshot=snapshot | {"evidence": {"verified_at": verified_at}},
        **texts,
    )
