"""Notes as JSON Lines, out and in again: what was read back is written as the same bytes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.models import Note, NoteAnchor, NoteEntry, NoteEntryKind
from datasets_app.models.note import LONGEST_NOTE_TEXT
from datasets_app.review.json_lines import (
    Imported,
    RecordError,
    account,
    import_lines,
    known_sample,
    moment,
    parsed_moment,
)
from datasets_app.text_input.storable import storable
from datasets_app.text_input.validate import prose_fault

MOST_LINE_CHARS = 16_000_000  # a thread with as many and as long entries as may be has a third of that
BATCH = 500  # notes per query
SAID = (NoteEntryKind.COMMENT, NoteEntryKind.ANSWER)


def exported_lines() -> Iterator[str]:
    """Yield every note with its thread as a line of JSON, oldest first."""
    notes = Note.objects.with_thread().order_by("created_at", "id")
    for note in notes.iterator(chunk_size=BATCH):
        yield line_of(note)


def line_of(note: Note) -> str:
    return json.dumps(record_of(note), ensure_ascii=False) + "\n"


def record_of(note: Note) -> dict[str, Any]:
    return {
        "id": str(note.pk),
        "sample": str(note.sample_id),
        "author": note.author.get_username(),
        "label": note.label,
        "created_at": moment(note.created_at),
        "anchors": [
            {name: getattr(anchor, name) for name in ("text", "start", "end", "digest", "quote")}
            for anchor in note.anchors.all()
        ],
        "entries": [entry_record(entry) for entry in note.entries.all()],
    }


def entry_record(entry: NoteEntry) -> dict[str, Any]:
    return {
        "id": str(entry.pk),
        "kind": entry.kind,
        "author": entry.author.get_username(),
        "target": str(entry.target_id) if entry.target_id else None,
        "text": entry.text,
        "mentions": sorted(user.get_username() for user in entry.mentions.all()),
        "created_at": moment(entry.created_at),
    }


@needs(Scope.ADMIN)
def import_notes(actor: Actor, lines: Iterable[str]) -> Imported:
    """Store the notes of exported lines, each whole or not at all. A note that is stored already is left as it is."""
    return import_lines(
        lines,
        store_line,
        lambda new: audit.record(actor, "note.import", new.sample, note=str(new.pk)),
    )


def store_line(line: str) -> Note | None:
    """Store the note of a line, or return None if it is there already. Raises RecordError with a sentence."""
    note, anchors, entries, mentions = parsed(line)
    if stored := Note.objects.with_thread().filter(pk=note.pk).first():
        if line_of(stored) == line.rstrip("\r\n") + "\n":
            return None
        raise RecordError(f"The note {note.pk} is stored with other content: it is left as it is.")
    if NoteEntry.objects.filter(pk__in=[entry.pk for entry in entries]).exists():
        raise RecordError("An entry of this note is stored with another note.")
    note.save()
    NoteAnchor.objects.bulk_create(anchors)
    NoteEntry.objects.bulk_create(entries)
    for entry, users in zip(entries, mentions, strict=True):
        if users:
            entry.mentions.set(users)
    return note


Parsed = tuple[Note, list[NoteAnchor], list[NoteEntry], list[list[Any]]]


def parsed(line: str) -> Parsed:
    """Return the rows of a line, not stored yet."""
    if len(line) > MOST_LINE_CHARS:
        raise RecordError(f"The line is longer than {MOST_LINE_CHARS:,} characters.")
    try:
        record = json.loads(line)
        note = Note(
            pk=UUID(record["id"]),
            sample=known_sample(record["sample"]),
            author=account(record["author"]),
            label=record["label"],
            created_at=parsed_moment(record["created_at"]),
        )
        anchors = [
            NoteAnchor(note=note, position=position, **spans(anchor))
            for position, anchor in enumerate(record["anchors"], 1)
        ]
        entries = [entry_of(note, number, entry) for number, entry in enumerate(record["entries"], 1)]
        mentions = [[account(name) for name in entry["mentions"]] for entry in record["entries"]]
        check_rows(note, anchors, entries)
    except RecordError:
        raise
    except ValidationError as error:
        raise RecordError(" ".join(error.messages)) from error
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError) as error:
        raise RecordError("This is not a note as `manage.py notes export` writes it.") from error
    return note, anchors, entries, mentions


def spans(anchor: dict[str, Any]) -> dict[str, Any]:
    return {name: anchor[name] for name in ("text", "start", "end", "digest", "quote")}


def entry_of(note: Note, number: int, record: dict[str, Any]) -> NoteEntry:
    return NoteEntry(
        pk=UUID(record["id"]),
        note=note,
        number=number,
        author=account(record["author"]),
        kind=record["kind"],
        target_id=UUID(record["target"]) if record["target"] else None,
        text=record["text"],
        created_at=parsed_moment(record["created_at"]),
    )


def check_rows(note: Note, anchors: list[NoteAnchor], entries: list[NoteEntry]) -> None:
    """Raise ValidationError, RecordError or ValueError for rows that the verbs could not have stored."""
    note.clean_fields(exclude=["sample", "author"])
    if not 1 <= len(anchors) <= 2 or not entries:
        raise ValueError
    for anchor in anchors:
        anchor.clean_fields(exclude=["note"])
        if anchor.start >= anchor.end or storable(anchor.quote) != anchor.quote:
            raise ValueError
    said: set[UUID] = set()
    for entry in entries:
        entry.clean_fields(exclude=["note", "author", "target"])
        if fault := prose_fault("A text", entry.text, LONGEST_NOTE_TEXT):
            raise RecordError(fault)
        check_place(entry, said)
        if entry.kind in SAID:
            said.add(entry.pk)


def check_place(entry: NoteEntry, said: set[UUID]) -> None:
    """Raise ValueError unless the entry may stand in its place: a comment first, changes of what was said before."""
    is_first = entry.number == 1
    if is_first != (entry.kind == NoteEntryKind.COMMENT) or entry.pk in said:
        raise ValueError
    needs_target = entry.kind == NoteEntryKind.EDIT
    may_have = needs_target or entry.kind == NoteEntryKind.WITHDRAW
    if (entry.target_id is None and needs_target) or (entry.target_id and not may_have):
        raise ValueError
    if entry.target_id and entry.target_id not in said:
        raise ValueError
