"""The files of a folder, a .zip or a .tar whose paths match a pattern, in a fixed order."""

from __future__ import annotations

import itertools
import os
import re
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from datasets_app.ingest import decompression
from datasets_app.ingest.inbox import open_regular
from datasets_app.ingest.rows import IngestError
from datasets_app.ingest.source_file import SourceFile, files_in

BROKEN_ARCHIVE = (tarfile.TarError, zipfile.BadZipFile, NotImplementedError, RuntimeError, zlib.error)


def members(file: SourceFile, wanted: re.Pattern[str], cap_bytes: int) -> Iterator[tuple[str, bytes]]:
    """Yield the path and the first `cap_bytes` bytes of every file that is wanted. Raises IngestError."""
    kind = file.kind()
    iterate = {"folder": from_folder, "zip": from_zip, "tar": from_tar}.get(kind)
    if iterate is None:
        raise IngestError("This is neither a folder nor a .zip or .tar of one.")
    decoded, size_bytes = 0, file.size_bytes
    with whole():
        for name, content in iterate(file, wanted, cap_bytes):
            decoded += len(content)
            file.budget.check_decoded(decoded, size_bytes)
            yield name, content


def paths(file: SourceFile, most: int | None = None) -> list[str]:
    """Return the paths of the archive's files, at most `most` of them. Raises IngestError."""
    kind = file.kind()
    with whole():
        if kind == "folder":
            return [named(file, path) for path in files_in(file.path)[:most]]
        if kind == "zip":
            with file.seekable() as path, zipfile.ZipFile(path) as archive:
                return archive.namelist()[:most]
        with (
            closing(file.stream()) as stream,
            tarfile.open(fileobj=cast(Any, Ending(stream)), mode="r|") as archive,
        ):
            return [member.name for member in itertools.islice(archive, most) if member.isfile()]


class Ending:
    """A stream for tarfile, which would read on beyond the end, for days, towards a member that claims to be large."""

    MOST_EMPTY_READS = 100

    def __init__(self, stream: BinaryIO) -> None:
        self.stream, self.empty_reads = stream, 0

    def read(self, size: int) -> bytes:
        content = self.stream.read(size)
        self.empty_reads = 0 if content else self.empty_reads + 1
        if self.empty_reads > self.MOST_EMPTY_READS:
            raise tarfile.ReadError("a member claims to be larger than the file")
        return content


@contextmanager
def whole() -> Iterator[None]:
    try:
        yield
    except (*BROKEN_ARCHIVE, *decompression.BROKEN) as error:
        raise IngestError(f"The archive is damaged or breaks off: {error}.") from error


def natural(path: str) -> list[str | tuple[int, str]]:
    """Return a key that orders numbers in names by their value, without reading them: one may have any length."""
    parts = re.split(r"([0-9]+)", path)
    numbers = [(len(digits), digits) for digits in (part.lstrip("0") for part in parts[1::2])]
    return [part for pair in itertools.zip_longest(parts[::2], numbers) for part in pair if part is not None]


def named(file: SourceFile, path: Path) -> str:
    """Return the path of a folder's file with the folder's own name before it, as an archive of it has it."""
    return f"{file.path.name}/{path.relative_to(file.path).as_posix()}"


def from_folder(file: SourceFile, wanted: re.Pattern[str], cap_bytes: int) -> Iterator[tuple[str, bytes]]:
    found = {named(file, path): path for path in files_in(file.path)}
    for name in sorted(filter(wanted.search, found), key=natural):
        with os.fdopen(open_regular(found[name]), "rb") as stream:
            content = stream.read(cap_bytes)
        file.bytes_read += len(content)
        yield name, content


def from_zip(file: SourceFile, wanted: re.Pattern[str], cap_bytes: int) -> Iterator[tuple[str, bytes]]:
    with file.seekable() as path, zipfile.ZipFile(path) as archive:
        names, size_bytes = sorted(filter(wanted.search, archive.namelist()), key=natural), file.size_bytes
        for number, name in enumerate(names, start=1):
            with archive.open(name) as stream:
                content = stream.read(cap_bytes)
            file.bytes_read = size_bytes * number // len(names)
            yield name, content


def from_tar(file: SourceFile, wanted: re.Pattern[str], cap_bytes: int) -> Iterator[tuple[str, bytes]]:
    with (
        closing(file.stream()) as stream,
        tarfile.open(fileobj=cast(Any, Ending(stream)), mode="r|") as archive,
    ):
        for member in archive:
            if member.isfile() and wanted.search(member.name):
                inside = archive.extractfile(member)
                file.bytes_read = file.counting.bytes_read
                yield member.name, inside.read(cap_bytes) if inside else b""
