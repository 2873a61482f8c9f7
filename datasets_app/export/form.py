"""The form in which a curator chooses a format and its options, and sees the first record that they make."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.http import QueryDict

from datasets_app.export.columns import COLUMNS, file_row
from datasets_app.export.errors import ExportError, OptionsError
from datasets_app.export.formats import FORMATS, Format
from datasets_app.export.options import DEFAULT, parse
from datasets_app.export.pairs import KINDS
from datasets_app.export.rows import release_rows
from datasets_app.export.turns import PLACES
from datasets_app.models import Release

PREVIEW_ROWS = 200  # read for the first record: a pair is made of two rows
MARKER = "options"  # a field of the form: without it, a request has the default options
NO_RECORD = "None of the first {rows:,} rows makes a record. {nothing}"


@dataclass
class Choice:
    name: str
    means: str
    is_chosen: bool


@dataclass
class ExportForm:
    """One format with the options as they were typed."""

    made: Format
    chosen: dict[str, Any] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)
    fault: str = ""  # of the format as a whole
    preview: list[tuple[str, str]] = field(default_factory=list)

    @property
    def template(self) -> str:
        return str(self.chosen.get("template", DEFAULT.template))

    @property
    def think(self) -> bool:
        return bool(self.chosen.get("think", True))

    @property
    def numbered(self) -> bool:
        return bool(self.chosen.get("numbered", True))

    @property
    def places(self) -> dict[str, str]:
        return {f"{{{name}}}": means for name, means in PLACES.items()}

    def columns(self) -> Iterator[Choice]:
        chosen = self.chosen.get("columns", DEFAULT.columns)
        return (Choice(column.name, column.means, column.name in chosen) for column in COLUMNS)

    def pairs(self) -> Iterator[Choice]:
        chosen = self.chosen.get("pairs", DEFAULT.pairs)
        return (Choice(name, means, name in chosen) for name, means in KINDS.items())

    def refuse(self, error: ExportError) -> None:
        if isinstance(error, OptionsError):
            self.faults = error.faults
        else:
            self.fault = str(error)

    def look(self, release: Release) -> None:
        """Fill the preview, or the faults."""
        try:
            options = parse(self.made.takes, self.chosen)
        except OptionsError as error:
            self.refuse(error)
            return
        rows = (file_row(row) for row in release_rows(release, 0, min(PREVIEW_ROWS, release.row_count)))
        record = next(self.made.records(rows, options), None)
        if record is None:
            self.fault = NO_RECORD.format(rows=PREVIEW_ROWS, nothing=self.made.nothing)
        else:
            self.preview = [part for name, value in record.items() for part in shown(name, value)]


def form_of(data: QueryDict) -> ExportForm:
    """Return the form as it was sent. Raises ExportError for an unknown format."""
    name = data.get("format", "")
    if name not in FORMATS:
        raise ExportError(f"{name[:80]!r} is not a format; the formats are {', '.join(FORMATS)}.")
    made = FORMATS[name]
    if MARKER not in data:
        return ExportForm(made)
    sent = {
        "columns": data.getlist("columns"),
        "template": data.get("template", "").replace("\r\n", "\n"),
        "think": "think" in data,
        "numbered": "numbered" in data,
        "pairs": data.getlist("pairs"),
    }
    return ExportForm(made, {option: sent[option] for option in made.takes})


def shown(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """Yield the parts of a field with their titles: a message each, or the value as text or JSON."""
    messages = isinstance(value, list) and all(isinstance(one, dict) and "role" in one for one in value)
    if not messages or not value:
        yield name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        return
    for message in value:
        yield f"{name}: {message['role']}", message["content"]
        if "train_detail" in message:
            yield f"{name}: train_detail", json.dumps(message["train_detail"])
