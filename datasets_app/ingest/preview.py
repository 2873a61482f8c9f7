"""The preview of a file whose columns a person has to map, stored when the file was recognised."""

from __future__ import annotations

from dataclasses import dataclass, field

from datasets_app.ingest import limits
from datasets_app.ingest.readers.generic import FIELDS, suggest
from datasets_app.ingest.source_file import Peek
from datasets_app.models import Ingest

NO_ROWS = "No row with columns was found at the beginning of the file."


@dataclass(frozen=True)
class Choice:
    """One of our fields and the column suggested for it."""

    field: str
    title: str
    suggested: str


@dataclass(frozen=True)
class Preview:
    columns: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    choices: list[Choice] = field(default_factory=list)
    problem: str = ""


def stored_peek(peek: Peek) -> dict[str, list[str] | list[list[str]] | str | bool]:
    """Return the part of a peek that is stored with its ingest, as JSON."""
    columns = list(peek.columns[: limits.PREVIEW_COLUMNS])
    rows = [[str(row.values.get(name, "")) for name in columns] for row in peek.rows[: limits.PREVIEW_ROWS]]
    return {"columns": columns, "rows": rows, "problem": peek.problem, "unreadable": peek.is_unreadable}


def preview(ingest: Ingest) -> Preview:
    """Return the columns, first rows and a mapping to begin with, or the problem if the file cannot be read."""
    columns = ingest.seen.get("columns", [])
    if not columns:
        return Preview(problem=ingest.seen.get("problem") or NO_ROWS)
    suggested = ingest.mapping or suggest(tuple(columns))  # what a person chose before is kept
    choices = [Choice(name, title, suggested.get(name, "")) for name, (title, _) in FIELDS.items()]
    return Preview(columns, ingest.seen["rows"], choices)
