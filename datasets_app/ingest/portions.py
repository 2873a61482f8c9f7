"""Cuts a stream of rows into portions of bounded rows and bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from datasets_app.ingest.budget import Item
from datasets_app.ingest.rows import IngestError, Refusal, Row


def portions(
    items: Iterable[Item], most_rows: int, most_bytes: int
) -> Iterator[tuple[list[Item], IngestError | None]]:
    """Yield the items in portions, the last with the error that the stream ended with, if any."""
    portion: list[Item] = []
    size = 0
    try:
        for item in items:
            portion.append(item)
            size += weight(item)
            if len(portion) >= most_rows or size >= most_bytes:
                yield portion, None
                portion, size = [], 0
    except IngestError as error:
        yield portion, error
    else:
        yield portion, None


def weight(item: Item) -> int:
    """Return roughly how many bytes an item occupies in memory."""
    if isinstance(item, Refusal):
        return len(item.raw)
    record = item.record if isinstance(item, Row) else item
    texts = sum(len(value) for value in record.values.values() if isinstance(value, str))
    if isinstance(
        item, Row
    ):  # its texts may come from lists and objects, such as the turns of a conversation
        texts = max(texts, texts_of(item))
    return 2 * texts + len(record.raw)


def texts_of(row: Row) -> int:
    sample = row.sample
    own = len(sample.kernel) + len(sample.reasoning) + len(sample.feedback) if sample else 0
    return own + sum(len(task.program) for task in row.tasks)
