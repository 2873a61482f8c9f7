"""Send a stored file, or a part of it, without holding a request thread for it.

The site's server takes a response with a file behind it and sends it from its loop. What comes from another server is
streamed by the thread, which waits for it. Where nginx stands in front,
CONCUR_ACCEL_REDIRECT names its internal location of the data folder, and nginx sends the file, ranges included.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

from django.conf import settings
from django.http import FileResponse, HttpResponse, HttpResponseBase, StreamingHttpResponse

BLOCK_BYTES = 2**18


class FilePart(io.FileIO):
    """A range of a file, `length` bytes from `first` on, read as a file."""

    def __init__(self, path: Path, first: int, length: int) -> None:
        super().__init__(path)
        self.first, self.length = first, length
        self.seek(0)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self.tell(), io.SEEK_END: self.length}[whence]
        return super().seek(self.first + max(0, base + offset)) - self.first

    def tell(self) -> int:
        return super().tell() - self.first

    def read(self, size: int | None = -1) -> bytes:
        left = max(0, self.length - self.tell())
        return super().read(left if size is None or size < 0 else min(size, left)) or b""

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        block = self.read(len(buffer))
        buffer[: len(block)] = block
        return len(block)


def accel_path(path: Path) -> str:
    """Return where nginx finds the file; empty where no nginx sends files, or the file is not in the data folder."""
    if not settings.ACCEL_REDIRECT or not path.is_relative_to(settings.DATA_DIR):
        return ""
    return f"{settings.ACCEL_REDIRECT.rstrip('/')}/{quote(path.relative_to(settings.DATA_DIR).as_posix())}"


def send_file(path: Path, content_type: str, part: tuple[int, int] | None = None) -> HttpResponseBase:
    """Return the whole file, or `part`, its first byte and length. The caller adds status and further headers."""
    if accelerated := accel_path(path):
        return HttpResponse(content_type=content_type, headers={"X-Accel-Redirect": accelerated})
    file = FilePart(path, *part) if part else path.open("rb")
    return FileResponse(file, content_type=content_type)


def send_stream(file: BinaryIO | io.RawIOBase, content_type: str, length: int) -> HttpResponseBase:
    """Return `length` bytes of a file that waits for another server; it is closed with the response."""
    response = StreamingHttpResponse(Blocks(file, length), content_type=content_type)
    response.headers["Content-Length"] = str(length)
    return response


class Blocks:
    """Up to `length` bytes of a file. If it ends early, so does the connection, and the client resumes it."""

    def __init__(self, file: BinaryIO | io.RawIOBase, length: int) -> None:
        self.file, self.left = file, length

    def __iter__(self) -> Iterator[bytes]:
        while self.left and (block := self.file.read(min(self.left, BLOCK_BYTES))):
            self.left -= len(block)
            yield block

    def close(self) -> None:
        self.file.close()
