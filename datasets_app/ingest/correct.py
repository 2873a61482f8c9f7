"""Corrects one refused row on its page: what a person made of it goes in as a file of one row, as any upload does."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import DatabaseError

from datasets_app.accounts.actor import Actor
from datasets_app.ingest import limits
from datasets_app.ingest.refusal_store import fields_of
from datasets_app.ingest.rows import IngestError
from datasets_app.ingest.sources import Provenance
from datasets_app.ingest.start import IncomingFile, start_ingests
from datasets_app.ingest.uploads import drop_upload, store_upload
from datasets_app.models import Ingest, RefusedRow

MOST_LINES = 24


@dataclass(frozen=True)
class CorrectedField:
    """A column of a row as its form shows it: texts as they are, other values as JSON."""

    name: str  # in the form
    key: str
    text: str
    is_text: bool

    @property
    def lines(self) -> int:
        """Return the number of lines to show at once."""
        return min(self.text.count("\n") + 1, MOST_LINES)

    @property
    def value(self) -> Any:
        """Return what was typed. Raises IngestError for a value that is no text and no JSON."""
        try:
            return self.text if self.is_text else json.loads(self.text)
        except (ValueError, RecursionError) as error:
            raise IngestError(f"{self.key} is not JSON: {error}. Texts have quotes there.") from error


def is_whole(row: RefusedRow) -> bool:
    """Return whether all of the row is stored; a longer one can only be corrected in its file."""
    return len(row.raw) < limits.MAX_RAW_CHARS


def form_fields(row: RefusedRow, typed: Mapping[str, str] | None = None) -> list[CorrectedField]:
    """Return the row's columns with what is stored, or with what was typed, and a refused column that it lacks."""
    stored = dict(fields_of(row.raw))
    if row.field and "_raw" not in stored:
        stored.setdefault(row.field, "")
    fields = []
    for number, (key, value) in enumerate(stored.items()):
        is_text = isinstance(value, str)
        shown = value if is_text else json.dumps(value, ensure_ascii=False)
        text = shown if typed is None else typed.get(f"field-{number}", "").replace("\r\n", "\n")
        fields.append(CorrectedField(f"field-{number}", key, text, is_text))
    return fields


def correct_row(row: RefusedRow, fields: list[CorrectedField], actor: Actor) -> Ingest:
    """Start an ingest of the corrected row, under the provenance of its file. Raises IngestError."""
    if not is_whole(row):
        raise IngestError("The row is kept in part: correct it in its file, and ingest that again.")
    content = {"_line": row.line, "_format": row.ingest.format, **{one.key: one.value for one in fields}}
    name = f"{Path(row.ingest.file_name).stem}.line-{row.line}.jsonl"
    line = json.dumps(content, ensure_ascii=False).encode(errors="backslashreplace")
    path, name, sha256 = store_upload(SimpleUploadedFile(name, line + b"\n"))
    try:
        [ingest] = start_ingests([as_of(row.ingest, path, name, sha256)], actor)
    except (IngestError, DatabaseError):
        drop_upload(path)
        raise
    return ingest


def as_of(ingest: Ingest, path: Path, name: str, sha256: str) -> IncomingFile:
    """Return a file of which is stated what was stated of an ingest's. Its format is recognised, as that of a corrected
    file is, unless columns were mapped.
    """
    stated = Provenance(**ingest.provenance)
    if ingest.source:
        stated = replace(stated, name=ingest.source.name)
    known = ingest.format if ingest.mapping else ""
    return IncomingFile(path, name, known, stated, ingest.claimed_device, ingest.mapping, sha256)
