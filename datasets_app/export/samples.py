"""Samples as they are now, without a release: their facts, and the evidence on the device that lists show."""

from collections.abc import Iterator
from typing import Any, BinaryIO

from datasets_app.db.snapshot import read_snapshot
from datasets_app.export.columns import FROZEN_LOOKUPS, OF_CONTENT, facts, file_row
from datasets_app.export.formats import FORMATS

CHUNK_ROWS = 50


def write_samples(queryset: Any, format: str, stream: BinaryIO) -> int:
    """Write the samples of `queryset` to `stream`, in the order of their ids, and return their number.

    They are read as of one moment: keep them few. Memory holds one chunk. Raises KeyError for an unknown format.
    """
    made = FORMATS[format]
    writer = made.open(stream)
    count = 0
    with read_snapshot():
        chosen = rows(queryset.with_headline_evidence().with_licence().order_by("id"))
        for record in made.records(file_row(row) for row in chosen):
            writer.write(record)
            count += 1
    writer.close()
    return count


def rows(samples: Any) -> Iterator[dict[str, Any]]:
    """Yield rows by keyset: memory holds one chunk, and later queries are as fast as the first."""
    content = [column.name for column in OF_CONTENT]
    values = samples.values_list("id", *(column.path for column in OF_CONTENT), *FROZEN_LOOKUPS)
    chunk = list(values[:CHUNK_ROWS])
    while chunk:
        frozen = facts({pk: row[len(content) :] for pk, *row in chunk})
        for pk, *row in chunk:
            yield dict(zip(content, row, strict=False)) | frozen[pk]
        chunk = list(values.filter(id__gt=chunk[-1][0])[:CHUNK_ROWS])
