"""Limits of one file: rows, decoded bytes, refused rows, disk. Checked while the file is read."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.conf import settings

from datasets_app.ingest.rows import IngestError, Record, Refusal, Row

SMALL_BYTES = 64 * 2**20  # any file may decode to this much, however small it is
Item = Row | Record | Refusal


@dataclass(frozen=True)
class Budget:
    """The limits of one file: a plain value that is also passed to child processes."""

    rows: int
    decoded_bytes: int
    ratio: int
    refused_in_a_row: int

    @classmethod
    def of_settings(cls) -> Budget:
        return cls(
            settings.INGEST_ROWS,
            settings.INGEST_DECODED_BYTES,
            settings.INGEST_RATIO,
            settings.INGEST_REFUSED_IN_A_ROW,
        )

    def most_decoded(self, file_bytes: int) -> int:
        """Return how many bytes a file of `file_bytes` may decode to."""
        return min(self.decoded_bytes, max(SMALL_BYTES, self.ratio * file_bytes))

    def check_decoded(self, decoded: int, file_bytes: int) -> None:
        """Raise IngestError for a file that expands out of proportion."""
        most = self.most_decoded(file_bytes)
        if decoded <= most:
            return
        if most == self.decoded_bytes:
            raise IngestError(
                f"The file decodes to more than {most:,} bytes, the most that one file may hold "
                "(CONCUR_INGEST_DECODED_MB): split it."
            )
        raise IngestError(
            f"{file_bytes:,} bytes of the file decode to more than {most:,}: more than {self.ratio} times as much "
            "(CONCUR_INGEST_RATIO). It was not read any further."
        )


def watched(items: Iterable[Item], budget: Budget, file_bytes: int) -> Iterator[Item]:
    """Yield the items while they keep within the budget, then raise IngestError with the limit that was exceeded."""
    rows = decoded = accepted = 0
    refused: list[Refusal] = []  # consecutive ones: the first, and how many
    in_a_row = 0
    for rows, item in enumerate(items, 1):
        if rows > budget.rows:
            raise IngestError(
                f"The file has more than {budget.rows:,} rows, the most that one file may hold "
                "(CONCUR_INGEST_ROWS): split it."
            )
        decoded += text_bytes(item)
        budget.check_decoded(decoded, file_bytes)
        if isinstance(item, Refusal):
            in_a_row += 1
            refused = refused or [item]
        else:
            accepted += 1
            in_a_row, refused = 0, []
        yield item
        if in_a_row >= budget.refused_in_a_row:
            raise IngestError(only_refused(refused[0], in_a_row, accepted))


def text_bytes(item: Item) -> int:
    """Return roughly how many bytes of text an item holds."""
    if isinstance(item, Refusal):
        return len(item.raw)
    record = item.record if isinstance(item, Row) else item
    return sum(len(value) for value in record.values.values() if isinstance(value, str | bytes))


def only_refused(first: Refusal, in_a_row: int, accepted: int) -> str:
    read = (
        f"After {accepted:,} good rows, {in_a_row:,}" if accepted else f"Nothing could be read: {in_a_row:,}"
    )
    return (
        f"{read} rows in a row were refused, from line {first.line:,} on ({first.reason.rstrip('.')}). Probably the "
        f"format is another one, or a quote is not closed at line {first.line:,}. The rest of the file was not read."
    )


READ_AGAIN = "Make room, then read the file again: it goes on where it stopped."


def check_disk(more_bytes: int = 0, what_to_do: str = READ_AGAIN) -> None:
    """Raise IngestError if `more_bytes` would leave less disk space than is kept free. The message ends with
    `what_to_do`."""
    free = shutil.disk_usage(settings.DATA_DIR).free
    if free - more_bytes < settings.FREE_DISK_BYTES:
        reserve = settings.FREE_DISK_BYTES
        raise IngestError(
            f"Only {free / 2**20:,.0f} MB are free on the disk of the data folder, and {reserve / 2**20:,.0f} MB are "
            f"kept free (CONCUR_FREE_DISK_MB). {what_to_do}"
        )
