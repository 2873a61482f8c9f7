"""Opens plain, .gz and .zst files, recognised by their first bytes, and decompresses within a budget."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

import zstandard

from datasets_app.ingest.budget import Budget
from datasets_app.ingest.inbox import open_regular
from datasets_app.ingest.rows import IngestError

GZIP_MAGIC, ZSTD_MAGIC = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
READ_BYTES = 1 << 18
MOST_WINDOW_BYTES = 2**27  # for zstd, like its own command: memory that a few bytes can request
# Errors that a damaged or truncated file raises while it is read.
BROKEN = (EOFError, gzip.BadGzipFile, zlib.error, zstandard.ZstdError, OSError)


class CountingFile(io.RawIOBase):
    """A file that counts the bytes read from it: progress is measured on disk bytes."""

    def __init__(self, path: Path) -> None:
        self.inner = os.fdopen(open_regular(path), "rb", buffering=0)
        self.bytes_read = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = self.inner.readinto(buffer)
        self.bytes_read += count or 0
        return count or 0

    def close(self) -> None:
        self.inner.close()
        super().close()


class Unpacking(io.RawIOBase):
    """A decompressor that stops if its output is out of proportion to its input."""

    def __init__(self, inner: Any, counting: CountingFile, budget: Budget) -> None:
        self.inner, self.counting, self.budget = inner, counting, budget
        self.decoded = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count: int = self.inner.readinto(buffer)
        self.decoded += count
        self.budget.check_decoded(self.decoded, self.counting.bytes_read)
        return count

    def close(self) -> None:
        self.inner.close()
        self.counting.close()
        super().close()


class Head(io.RawIOBase):
    """The first bytes of a stream, as if it ended there."""

    def __init__(self, stream: BinaryIO, size: int) -> None:
        self.stream, self.left = stream, size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        chunk = self.stream.read(min(len(buffer), self.left))
        buffer[: len(chunk)] = chunk
        self.left -= len(chunk)
        return len(chunk)


def compression(path: Path) -> str:
    """Return 'gz', 'zst' or ''."""
    with os.fdopen(open_regular(path), "rb") as file:
        head = file.read(4)
    if head.startswith(GZIP_MAGIC):
        return "gz"
    return "zst" if head == ZSTD_MAGIC else ""


def unpacked(counting: CountingFile, packing: str, budget: Budget) -> BinaryIO:
    """Return the decompressed bytes as a stream that cannot seek. Its reads raise IngestError if they exceed the
    budget."""
    raw: io.RawIOBase = counting
    if packing == "gz":
        raw = Unpacking(
            gzip.GzipFile(fileobj=io.BufferedReader(counting, READ_BYTES), mode="rb"), counting, budget
        )
    elif packing == "zst":
        reader = zstandard.ZstdDecompressor(max_window_size=MOST_WINDOW_BYTES)
        stream = reader.stream_reader(cast(BinaryIO, counting), read_size=READ_BYTES, read_across_frames=True)
        raw = Unpacking(stream, counting, budget)
    return cast(BinaryIO, io.BufferedReader(raw, READ_BYTES))


def head(stream: BinaryIO, size: int) -> BinaryIO:
    return cast(BinaryIO, io.BufferedReader(Head(stream, size), READ_BYTES))


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Turn errors of a damaged file into an IngestError."""
    try:
        yield
    except BROKEN as error:
        raise IngestError(f"{what} breaks off or is damaged: {error}.") from error
