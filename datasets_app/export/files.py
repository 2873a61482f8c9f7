"""Files that appear whole or not at all: written under another name with their hash, then renamed."""

from __future__ import annotations

import glob
import hashlib
import os
import re
import secrets
import time
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from datasets_app.durable.folders import sync_folder

TEMPORARY = re.compile(r"\..+-(\d+)-[0-9a-f]{12}")  # the name that `write_whole` gives, with its process
SURELY_LEFT_SECONDS = 3600.0
BUFFER_BYTES = 2**20  # rows are larger than Python's own buffer, which would write each by itself


@dataclass(frozen=True)
class Written:
    size_bytes: int
    sha256: str
    crc32: int

    @property
    def facts(self) -> dict[str, int | str]:
        """Return what a file's row records of it."""
        return {"size_bytes": self.size_bytes, "sha256": self.sha256, "crc32": self.crc32}


class HashingStream:
    """A file that keeps the count, the hash and the CRC-32 of the bytes written to it. It cannot seek."""

    closed = False

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.sha256 = hashlib.sha256()
        self.size = self.crc32 = 0

    def write(self, data: bytes) -> int:
        self.file.write(data)
        self.sha256.update(data)
        self.crc32 = zlib.crc32(data, self.crc32)
        written = len(memoryview(data).cast("B"))
        self.size += written
        return written

    @property
    def written(self) -> Written:
        return Written(self.size, self.sha256.hexdigest(), self.crc32)

    def flush(self) -> None:
        self.file.flush()

    def tell(self) -> int:
        return self.size

    def writable(self) -> bool:
        return True

    def readable(self) -> bool:
        return False

    def seekable(self) -> bool:
        return False

    def close(self) -> None:
        """Do nothing: whoever opened the file closes it."""


def write_whole(path: Path, write: Callable[[HashingStream], object]) -> Written:
    """Let `write` fill a temporary file beside `path`, then put it in place on the disk. A fault leaves `path` alone.

    What a writer that was killed left of the same file is deleted.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    for other in path.parent.glob(f".{glob.escape(path.name)}-*-*"):
        if not is_running(other.name.split("-")[-2]):
            other.unlink(missing_ok=True)
    temporary = path.with_name(f".{path.name}-{os.getpid()}-{secrets.token_hex(6)}")
    try:
        with temporary.open("xb", buffering=BUFFER_BYTES) as file:
            stream = HashingStream(file)
            write(stream)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
        sync_folder(path.parent)
    finally:
        temporary.unlink(missing_ok=True)
    return stream.written


def delete_left(folder: Path) -> None:
    """Delete what writers that were killed left anywhere below a folder: a job that failed for good writes no more.

    What has changed within the last hour stays: its writer may run in another container, where it cannot be seen.
    """
    oldest = time.time() - SURELY_LEFT_SECONDS
    for path in folder.rglob(".*-*-*"):
        named = TEMPORARY.fullmatch(path.name)
        with suppress(FileNotFoundError):  # its writer ended well, or another sweeper deleted it
            if named and not is_running(named[1]) and path.lstat().st_mtime < oldest:
                path.unlink()


def is_running(process_id: str) -> bool:
    try:
        os.kill(int(process_id), 0)
    except (ProcessLookupError, ValueError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def hash_of(path: Path) -> str:
    with path.open("rb") as file:
        return digest_of(file)


def digest_of(file: BinaryIO) -> str:
    return hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
