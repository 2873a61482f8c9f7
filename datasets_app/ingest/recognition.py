"""Chooses the reader of a file. Nothing is guessed: for an unknown or ambiguous file the error lists formats and
columns.
"""

from __future__ import annotations

from datasets_app.ingest.peek import peek as peek_at_file
from datasets_app.ingest.registry import TABLES, Reader, reader_named, readers
from datasets_app.ingest.rows import IngestError
from datasets_app.ingest.source_file import Peek, SourceFile

NO_TABLE = "It is neither a table of rows (JSON Lines, JSON, CSV, Parquet or Arrow) nor an archive of files."
NO_PROGRAM = (
    "No column is mapped to the PyTorch program (pytorch_code) or to the kernel (kernel_code). "
    "Map at least one of the two."
)
NEEDED = " Formats and the columns they need:"


class UnknownFormatError(IngestError):
    """No reader, or more than one, recognises the file; a person has to choose."""

    def __init__(self, message: str, peek: Peek) -> None:
        super().__init__(message)
        self.peek = peek


def recognise(file: SourceFile, format_name: str = "") -> Reader:
    """Return the named reader, else the only one that recognises the file. Raises IngestError.

    A corrected file names its reader, and the mapping of its columns, which becomes that of `file`.
    """
    reader = chosen(format_name) if format_name else None
    if reader and not reader.lacks_columns(file.mapping):
        return reader
    peek = peek_at_file(file)
    if reader:
        raise UnknownFormatError(explain([], peek) if peek.is_unreadable else NO_PROGRAM, peek)
    if peek.kind == "empty":
        raise IngestError("The file is empty.")
    if len(peek.formats) == 1 and (reader := reader_named(next(iter(peek.formats)))):
        file.mapping = file.mapping or peek.mapping
        return reader
    return only_one(peek)


def chosen(format_name: str) -> Reader:
    if reader := reader_named(format_name):
        return reader
    names = ", ".join(reader.name for reader in readers())
    raise IngestError(f"No format is called {format_name!r}. Formats: {names}.")


def only_one(peek: Peek) -> Reader:
    ranked = sorted(((reader.recognises(peek), reader) for reader in readers()), key=lambda pair: -pair[0])
    best = ranked[0][0]
    candidates = [reader for confidence, reader in ranked if confidence == best and confidence > 0]
    if len(candidates) == 1:
        return candidates[0]
    raise UnknownFormatError(explain(candidates, peek), peek)


def explain(candidates: list[Reader], peek: Peek) -> str:
    if peek.is_unreadable:
        return f"The file cannot be read. {peek.problem or NO_TABLE}"
    if candidates:
        names = " and ".join(reader.name for reader in candidates)
        first = f"The file could be {names}: say which with the format."
    else:
        first = "No format recognises the file: choose one, or map its columns (in a shell: --map kernel_code=COLUMN)."
    return f"{first} {what_was_seen(peek)}{NEEDED} {needed()}."


def what_was_seen(peek: Peek) -> str:
    if peek.problem:
        return peek.problem
    if peek.kind not in TABLES:
        return f"It is no table of rows ({peek.kind})."
    names = ", ".join(peek.columns[:60]) or "none"
    return f"Columns seen in its first rows ({peek.kind}): {names[:1500]}."


def needed() -> str:
    return "; ".join(f"{reader.name} ({', '.join(reader.columns)})" for reader in readers() if reader.columns)
