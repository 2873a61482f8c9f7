"""KernelBench's tasks as in its repository: level1/1_Name.py and so on, in a folder, a .zip or a .tar."""

from __future__ import annotations

import os
import re
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from datasets_app.ingest import decompression
from datasets_app.ingest.inbox import open_regular
from datasets_app.ingest.limits import MAX_TEXT_BYTES
from datasets_app.ingest.readers.kernelbench import ORIGIN, KernelBenchReader
from datasets_app.ingest.registry import LIKELY, NO, Reader, refuse
from datasets_app.ingest.rows import IngestError, Record, Refusal, Row, RowError
from datasets_app.ingest.source_file import ARCHIVES, Peek, SourceFile

PROGRAM_PATH = re.compile(r"(?:^|/)level_?(\d{1,4})/(\d{1,9})_([^/]+)\.py$")
BROKEN_ARCHIVE = (tarfile.TarError, zipfile.BadZipFile, NotImplementedError, RuntimeError, zlib.error)


class KernelBenchFoldersReader(Reader):
    """Keeps refused programs as rows of the table format, in which they can be corrected."""

    name, title = "kernelbench-folders", "KernelBench level folders (folder, .zip, .tar)"
    origin = ORIGIN
    order = 0
    as_table = KernelBenchReader()

    def recognises(self, peek: Peek) -> int:
        return LIKELY if peek.kind in ARCHIVES else NO

    def read(self, file: SourceFile) -> Iterator[Row | Record | Refusal]:
        number = 0
        for path, content in programs(file):
            number += 1
            yield self.program_row(number, path, content, file)
        if not number:
            raise IngestError("There is no program in a level folder, such as level1/1_Name.py.")

    def program_row(self, line: int, path: str, content: bytes, file: SourceFile) -> Row | Record | Refusal:
        level, problem, name = PROGRAM_PATH.search(path).groups()  # type: ignore[union-attr]
        values = {"level": int(level), "problem_id": int(problem), "name": f"{problem}_{name}", "path": path}
        record = Record(line, {**values, "code": content.decode(errors="backslashreplace")})
        try:
            content.decode()
        except UnicodeDecodeError as error:
            return refuse(record, RowError("code", f"is not UTF-8 at byte {error.start + 1}"))
        return self.as_table.row_or_refusal(record, file)


def programs(file: SourceFile) -> Iterator[tuple[str, bytes]]:
    """Yield the path and bytes of every program in a fixed order, each read up to just above the limit."""
    kind = file.kind()
    iterate = {"folder": from_folder, "zip": from_zip, "tar": from_tar}.get(kind)
    if iterate is None:
        raise IngestError("This is neither a folder nor a .zip or .tar of one.")
    try:
        yield from iterate(file)
    except (*BROKEN_ARCHIVE, *decompression.BROKEN) as error:
        raise IngestError(f"The archive is damaged or breaks off: {error}.") from error


def natural(path: str) -> list[int | str]:
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", path)]


def from_folder(file: SourceFile) -> Iterator[tuple[str, bytes]]:
    paths = [path.relative_to(file.path).as_posix() for path in file.path.rglob("*.py") if path.is_file()]
    for path in sorted(paths, key=natural):
        whole = f"{file.path.name}/{path}"
        if PROGRAM_PATH.search(whole):
            yield whole, read_capped(file.path / path, file)


def read_capped(path: Path, file: SourceFile) -> bytes:
    with os.fdopen(open_regular(path), "rb") as stream:
        content = stream.read(MAX_TEXT_BYTES + 1)
    file.bytes_read += len(content)
    return content


def from_zip(file: SourceFile) -> Iterator[tuple[str, bytes]]:
    with file.seekable() as path, zipfile.ZipFile(path) as archive:
        names = sorted((name for name in archive.namelist() if PROGRAM_PATH.search(name)), key=natural)
        for number, name in enumerate(names, start=1):
            with archive.open(name) as stream:
                content = stream.read(MAX_TEXT_BYTES + 1)
            file.bytes_read = file.size_bytes * number // len(names)
            yield name, content


def from_tar(file: SourceFile) -> Iterator[tuple[str, bytes]]:
    with closing(file.stream()) as stream, tarfile.open(fileobj=stream, mode="r|") as archive:
        for member in archive:
            if member.isfile() and PROGRAM_PATH.search(member.name):
                inside = archive.extractfile(member)
                file.bytes_read = file.counting.bytes_read
                yield member.name, inside.read(MAX_TEXT_BYTES + 1) if inside else b""
