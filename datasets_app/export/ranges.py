"""The Range header (RFC 9110, 14): one range of bytes. Several at once get the whole, which is allowed."""

from __future__ import annotations

import re
from dataclasses import dataclass

# At most as many digits as the size of a file has: Python refuses to convert thousands of them.
ONE_RANGE = re.compile(r"\s*bytes\s*=\s*(\d{0,18})\s*-\s*(\d{0,18})\s*", re.IGNORECASE)


class UnsatisfiableError(ValueError):
    """The range is outside of the file: 416."""


@dataclass(frozen=True)
class ByteRange:
    first: int
    last: int  # included

    @property
    def length(self) -> int:
        return self.last - self.first + 1


def parse(header: str, size: int) -> ByteRange | None:
    """Return the range that `header` requests of `size` bytes; None: send all. Raises UnsatisfiableError."""
    match = ONE_RANGE.fullmatch(header)
    if not match or match.groups() == ("", ""):
        return None
    first, last = match.groups()
    if not first:
        return suffix(int(last), size)
    if last and int(last) < int(first):
        return None  # not a range at all: the header is ignored
    if int(first) >= size:
        raise UnsatisfiableError
    return ByteRange(int(first), min(int(last), size - 1) if last else size - 1)


def suffix(length: int, size: int) -> ByteRange:
    """Return the range of the last `length` bytes."""
    if not length or not size:
        raise UnsatisfiableError
    return ByteRange(max(0, size - length), size - 1)
