"""A file or folder as readers see it: its kind, its first rows, and all rows as a stream."""

from __future__ import annotations

import codecs
import itertools
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from django.conf import settings

from datasets_app.ingest import decompression, limits, text_tables
from datasets_app.ingest.budget import Budget, check_disk
from datasets_app.ingest.inbox import open_regular
from datasets_app.ingest.rows import IngestError, Record, Refusal
from datasets_app.models import Ingest

HEAD_BYTES = 4096
ARROW_STREAM_MAGIC = b"\xff\xff\xff\xff"
ARCHIVES = ("zip", "tar", "folder")
TEXT_TABLES = {
    "jsonl": text_tables.json_lines,
    "json": text_tables.json_array,
    "json-lists": text_tables.json_lists,
    "json-objects": text_tables.json_objects,
    "csv": text_tables.csv_rows,
}
# An object of arrays or objects over several lines, or with numbers as names: {"1": [...]}. A row of JSON Lines is one
# line.
NESTED = re.compile(rb'\{(?:\s*\n\s*"[^"\n]{1,80}"|\s*"\d{1,9}")\s*:\s*([\[{])')
NESTED_KINDS = {b"[": "json-lists", b"{": "json-objects"}
OTHER_SEPARATORS = ((b";", "semicolons"), (b"\t", "tabs"))
WIDE_TEXT = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def arrow_stream(stream: BinaryIO) -> Iterator[Record | Refusal]:
    from datasets_app.ingest import columnar  # late: half a second of import, which texts do not need

    return columnar.arrow_stream(stream)


@dataclass(frozen=True)
class Peek:
    """The beginning of a file: its kind, columns and first rows."""

    kind: str  # one of registry.TABLES, zip, tar, folder, empty or unknown
    file_name: str
    columns: tuple[str, ...] = ()
    rows: tuple[Record, ...] = ()
    formats: frozenset[str] = frozenset()  # named in the rows of a corrected file
    problem: str = ""  # why the first rows could not be read
    paths: tuple[str, ...] = ()  # of the first files of an archive or folder
    mapping: dict[str, str] = field(default_factory=dict)  # that the first row of a corrected file names

    @property
    def is_unreadable(self) -> bool:
        """Return whether nothing can be made of the file: neither columns nor files were seen in it."""
        return not (self.columns or self.paths) and bool(self.problem or self.kind == "unknown")


@dataclass
class SourceFile:
    """One file or folder, read from its beginning."""

    path: Path
    name: str
    device: str = ""  # on which the claims were measured, if the uploader named one
    source_name: str = ""
    mapping: dict[str, str] = field(default_factory=dict)
    bytes_read: int = 0
    stored: Any = None  # what its reader looked up before the first row
    budget: Budget = field(default_factory=Budget.of_settings)

    @classmethod
    def of(cls, ingest: Ingest) -> SourceFile:
        return cls(
            path=Path(ingest.path),
            name=ingest.file_name,
            device=ingest.claimed_device,
            source_name=ingest.source_name,
            mapping=ingest.mapping,
        )

    @property
    def size_bytes(self) -> int:
        if not self.path.is_dir():
            return self.path.stat().st_size
        return sum(file.stat().st_size for file in files_in(self.path))

    def kind(self) -> str:
        if self.path.is_dir():
            return "folder"
        with decompression.reading("The file"), closing(self.stream()) as stream:
            return kind_of(stream.read(HEAD_BYTES))

    def stream(self) -> BinaryIO:
        """Return the decompressed bytes from the beginning. Disk bytes read are counted in bytes_read."""
        self.counting = decompression.CountingFile(self.path)
        return decompression.unpacked(self.counting, decompression.compression(self.path), self.budget)

    def records(self, head_bytes: int = 0) -> Iterator[Record | Refusal]:
        """Yield every row of a table; of a text only those within its first `head_bytes` bytes, if given.

        Raises IngestError if the file cannot be read any further.
        """
        kind = self.kind()
        if kind in ("parquet", "arrow-file"):
            yield from self.columnar_records(kind)
        else:
            yield from self.streamed_records(kind, head_bytes)

    def streamed_records(self, kind: str, head_bytes: int) -> Iterator[Record | Refusal]:
        iterate = arrow_stream if kind == "arrow-stream" else TEXT_TABLES.get(kind)
        if iterate is None:
            raise IngestError(f"The file is {article(kind)}, which holds no table of rows.")
        with decompression.reading("The file"), closing(self.stream()) as stream:
            whole = not head_bytes or kind not in TEXT_TABLES
            for record in iterate(stream if whole else decompression.head(stream, head_bytes)):
                self.bytes_read = self.counting.bytes_read
                yield record

    def columnar_records(self, kind: str) -> Iterator[Record | Refusal]:
        from datasets_app.ingest import columnar  # late: half a second of import, which texts do not need

        iterate = columnar.parquet if kind == "parquet" else columnar.arrow_file
        size = self.size_bytes
        with self.seekable() as path:
            for record, part in iterate(path):
                self.bytes_read = int(size * part)
                yield record

    def seekable(self) -> Unpacked:
        """Return the file in a seekable form: itself, or decompressed into a temporary file."""
        return Unpacked(self)

    def peek(self) -> Peek:
        """Return the beginning of the file; never raises for its contents."""
        try:
            kind = self.kind()
        except IngestError as error:
            return Peek("unknown", self.name, problem=str(error))
        if kind in (*ARCHIVES, "empty", "unknown"):
            return Peek(kind, self.name, problem=self.why_unknown() if kind == "unknown" else "")
        return self.peek_table(kind)

    def why_unknown(self) -> str:
        with closing(self.stream()) as stream:
            head = stream.read(HEAD_BYTES)
        if head.startswith(WIDE_TEXT):
            return "The file is text in UTF-16; save it as UTF-8."
        first = head.partition(b"\n")[0]
        mark = next((name for byte, name in OTHER_SEPARATORS if byte in first and b"\x00" not in head), "")
        return f"Its columns seem to be separated by {mark}; save it as CSV with commas." if mark else ""

    def peek_table(self, kind: str) -> Peek:
        seen: list[Record | Refusal] = []
        problem = ""
        try:
            seen.extend(first_rows(self.records(limits.PEEK_BYTES)))
        except IngestError as error:
            problem = str(error)
        records = tuple(record for record in seen if isinstance(record, Record))
        columns = dict.fromkeys(str(name) for record in records for name in record.values)
        formats = frozenset(record.wanted_format for record in seen) - {""}
        if not seen and not problem:
            problem = "No row was found at the beginning of the file."
        mapping = dict(records[0].wanted_mapping) if records else {}
        return Peek(kind, self.name, tuple(columns), records, formats, problem, mapping=mapping)


def files_in(folder: Path) -> list[Path]:
    """Return the files of a folder, in order, without hidden ones such as those in .git."""
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    )


def first_rows(records: Iterator[Record | Refusal]) -> Iterator[Record | Refusal]:
    """Yield enough rows to know the columns, bounded in lines and bytes."""
    good = size = 0
    for record in itertools.islice(records, limits.PEEK_LINES):
        yield record
        good += isinstance(record, Record)
        size += len(record.raw)
        if good >= limits.PEEK_RECORDS or size > limits.MAX_RECORD_BYTES:
            return


class Unpacked:
    """A context: a path to the decompressed, seekable bytes.

    It names an open file of this process: what was checked is what is read, and a temporary copy disappears with the
    process, however that ends.
    """

    def __init__(self, file: SourceFile) -> None:
        self.file = file
        self.opened: Any = None

    def __enter__(self) -> Path:
        if decompression.compression(self.file.path):
            settings.UPLOAD_DIR.mkdir(parents=True, exist_ok=True)
            self.opened = tempfile.TemporaryFile(prefix="ingest-", dir=settings.UPLOAD_DIR)
            with decompression.reading("The file"), closing(self.file.stream()) as stream:
                shutil.copyfileobj(CheckingDisk(stream), self.opened, decompression.READ_BYTES)
            self.opened.flush()
        else:
            self.opened = os.fdopen(open_regular(self.file.path), "rb")
        return Path(f"/proc/self/fd/{self.opened.fileno()}")

    def __exit__(self, *_: object) -> None:
        self.opened.close()


class CheckingDisk:
    """A stream that can be copied only while the disk has room."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream = stream

    def read(self, size: int = decompression.READ_BYTES, /) -> bytes:
        check_disk(size)
        return self.stream.read(size)


def kind_of(head: bytes) -> str:
    """Return the kind from the first bytes."""
    if not head:
        return "empty"
    magics = [
        (b"PAR1", "parquet"),
        (b"ARROW1", "arrow-file"),
        (ARROW_STREAM_MAGIC, "arrow-stream"),
        (b"PK\x03\x04", "zip"),
    ]
    for magic, kind in magics:
        if head.startswith(magic):
            return kind
    return "tar" if head[257:262] == b"ustar" else kind_of_text(head)


def kind_of_text(head: bytes) -> str:
    """Recognise JSON Lines even if the first line is damaged; CSV by the comma in its header."""
    start = head.removeprefix(text_tables.UTF8_BOM).lstrip()
    if start.startswith(b"["):
        return "json"
    if nested := NESTED.match(start):
        return NESTED_KINDS[nested[1]]
    first, second = [*(line.strip() for line in start.split(b"\n") if line.strip()), b"", b""][:2]
    if first.startswith(b"{") or second.startswith(b'{"'):
        return "jsonl"
    return "csv" if b"," in first and b"\x00" not in first else "unknown"


def article(kind: str) -> str:
    names = {"zip": "a zip archive", "tar": "a tar archive", "folder": "a folder", "empty": "empty"}
    return names.get(kind, "of an unknown kind")
