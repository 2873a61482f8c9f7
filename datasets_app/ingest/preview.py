"""A look at a file whose columns a person has to name."""

from __future__ import annotations

from dataclasses import dataclass, field

from datasets_app.ingest.mending import shown
from datasets_app.ingest.readers.generic import FIELDS, suggest
from datasets_app.ingest.running import source_file
from datasets_app.models import Ingest

ROWS, COLUMNS = 3, 40


@dataclass(frozen=True)
class Choice:
    """One field of ours and the column suggested for it."""

    field: str
    title: str
    suggested: str


@dataclass(frozen=True)
class Preview:
    columns: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    choices: list[Choice] = field(default_factory=list)
    problem: str = ""


def preview(ingest: Ingest) -> Preview:
    """Columns, first rows and a suggested mapping; the problem instead where the file cannot be read."""
    file = source_file(ingest)
    if not file.path.exists():
        return Preview(problem="The file is gone from the server; upload it again.")
    peek = file.peek()
    if not peek.columns:
        return Preview(problem=peek.problem or "No row with columns was found at the beginning of the file.")
    columns = [shown(name) for name in peek.columns[:COLUMNS]]
    rows = [[cell(row.values.get(name)) for name in peek.columns[:COLUMNS]] for row in peek.rows[:ROWS]]
    suggested = suggest(peek.columns)
    choices = [Choice(name, title, suggested.get(name, "")) for name, (title, _) in FIELDS.items()]
    return Preview(columns, rows, choices)


def cell(value: object) -> str:
    text = "" if value is None else shown(value)
    return text if len(text) < 160 else text[:160] + "…"
