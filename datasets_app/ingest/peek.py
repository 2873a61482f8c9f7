"""Reads the beginning of a file in a child process with limits: no other process decodes uploads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings

from datasets_app.ingest import archives
from datasets_app.ingest import limits as caps
from datasets_app.ingest.budget import Budget
from datasets_app.ingest.rows import IngestError, Record
from datasets_app.ingest.source_file import ARCHIVES, Peek, SourceFile
from datasets_app.processes.child import ChildError, Limits, call

Json = dict[str, Any]


def peek(file: SourceFile) -> Peek:
    """Return what is at the beginning of the file. Raises IngestError beyond the limits."""
    limits = Limits(settings.LOOK_SECONDS, settings.LOOK_MEMORY_BYTES)
    try:
        answer = call(peek_in_child, (str(file.path), file.name, file.budget), limits)
    except ChildError as error:
        raise IngestError(f"The first rows of the file could not be read: {error}.") from error
    return peek_of(answer, file.name)


def peek_in_child(path: str, name: str, budget: Budget) -> Json:
    """Return the peek as JSON. Runs in the child process."""
    try:
        file = SourceFile(Path(path), name, budget=budget)
        peek = file.peek()
        paths = archives.paths(file, caps.PEEK_PATHS) if peek.kind in ARCHIVES else []
    except IngestError as error:
        return {"kind": "unknown", "problem": str(error)}
    columns = peek.columns[: caps.PEEK_COLUMNS]
    return {
        "kind": peek.kind,
        "columns": [plain(name) for name in columns],
        "rows": [shown_row(row, columns) for row in peek.rows[: caps.PREVIEW_ROWS]],
        "formats": [plain(name) for name in peek.formats],
        "mapping": {plain(name): plain(column) for name, column in peek.mapping.items()},
        "problem": plain(peek.problem, 2000),
        "paths": [plain(name) for name in paths],
    }


def shown_row(row: Record, columns: tuple[str, ...]) -> list[str]:
    values = (row.values.get(name) for name in columns[: caps.PREVIEW_COLUMNS])
    return ["" if value is None else plain(value, caps.PREVIEW_CHARS) for value in values]


def plain(text: object, most: int = 500) -> str:
    """Return the text cut short, in a form that JSON can hold."""
    return str(text)[:most].replace("\x00", "\\u0000").encode(errors="backslashreplace").decode()


def peek_of(answer: Json, name: str) -> Peek:
    """Return the peek that the child sent; its texts are cut short, since they are only shown."""
    columns = tuple(answer.get("columns", ()))
    rows = [
        Record(line, dict(zip(columns, row, strict=False)))
        for line, row in enumerate(answer.get("rows", ()), 1)
    ]
    return Peek(
        answer["kind"],
        name,
        columns,
        tuple(rows),
        frozenset(answer.get("formats", ())),
        answer.get("problem", ""),
        tuple(answer.get("paths", ())),
        answer.get("mapping", {}),
    )
