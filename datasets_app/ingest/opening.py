"""Opens what was given: plain, .gz or .zst, told by the first bytes and not by the name."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

import zstandard

from datasets_app.ingest.rows import IngestError

GZIP_MAGIC, ZSTD_MAGIC = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
READ_BYTES = 1 << 18
# What a broken or truncated file raises while it is read.
BROKEN = (EOFError, gzip.BadGzipFile, zlib.error, zstandard.ZstdError, OSError)


class CountingFile(io.RawIOBase):
    """A file that knows how far it was read; progress is measured on what lies on the disk."""

    def __init__(self, path: Path) -> None:
        self.inner = path.open("rb", buffering=0)
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


def compression(path: Path) -> str:
    """'gz', 'zst' or ''."""
    with path.open("rb") as file:
        head = file.read(4)
    if head.startswith(GZIP_MAGIC):
        return "gz"
    return "zst" if head == ZSTD_MAGIC else ""


def unpacked(counting: CountingFile, packing: str) -> BinaryIO:
    """The bytes inside, as a stream that cannot seek."""
    if packing == "gz":
        return cast(BinaryIO, gzip.GzipFile(fileobj=io.BufferedReader(counting, READ_BYTES), mode="rb"))
    if packing == "zst":
        reader = zstandard.ZstdDecompressor(max_window_size=2**31)
        stream = reader.stream_reader(cast(BinaryIO, counting), read_size=READ_BYTES, read_across_frames=True)
        return io.BufferedReader(cast(io.RawIOBase, stream), READ_BYTES)
    return cast(BinaryIO, io.BufferedReader(counting, READ_BYTES))


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Turns what a broken file raises into a sentence."""
    try:
        yield
    except BROKEN as error:
        raise IngestError(f"{what} breaks off or is damaged: {error}.") from error
