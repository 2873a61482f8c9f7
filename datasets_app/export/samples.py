"""Samples as they are now, without a release: what the admin's export action writes."""

from collections.abc import Iterator
from typing import Any, BinaryIO

from datasets_app.export.columns import Record, values
from datasets_app.export.formats import FORMATS

CHUNK_ROWS = 50


def snapshot_now(sample: Any) -> dict[str, Any]:
    """The fields that a release would freeze, read from the sample's row."""
    own = ("outcome", "measured_speedup", "device", "verdict", "claimed_speedup", "claimed_correct")
    more = ("trace_tokens", "tokenizer", "generator", "language")
    task = {"kind": sample.task.kind, "task_name": sample.task.name, "suite": sample.task.suite}
    source = {"source": sample.source.name, "licence": sample.source.licence, "level": sample.task.level}
    verified = sample.verified_at.isoformat() if sample.verified_at else None
    fields = {name: getattr(sample, name) for name in (*own, *more)}
    return {**fields, **task, **source, "evidence": {"verified_at": verified}}


def write_samples(queryset: Any, format: str, stream: BinaryIO) -> int:
    """Write the samples of `queryset` to `stream`, in the order of their ids, and say how many there were.

    Memory holds one chunk. Raises KeyError for an unknown format (see FORMATS).
    """
    writer = FORMATS[format].open(stream)
    count = 0
    for chunk in chunks(queryset.select_related("body", "task__body", "source").order_by("id")):
        for sample in chunk:
            writer.write(values(Record(sample, snapshot_now(sample))))
        count += len(chunk)
    writer.close()
    return count


def chunks(samples: Any) -> Iterator[list[Any]]:
    """By keyset: memory holds one chunk, and no query grows slower as it goes on."""
    chunk = list(samples[:CHUNK_ROWS])
    while chunk:
        yield chunk
        chunk = list(samples.filter(id__gt=chunk[-1].id)[:CHUNK_ROWS])
