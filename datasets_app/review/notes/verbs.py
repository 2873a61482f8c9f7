"""Creates notes, and answers, edits, resolves, reopens and withdraws them. Each adds rows and changes none."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.ownership import require_note
from datasets_app.accounts.roles import Scope
from datasets_app.models import Note, NoteAnchor, NoteEntry, NoteEntryKind, NoteLabel, Sample
from datasets_app.models.bounds import LONGEST_REASON
from datasets_app.models.note import LONGEST_NOTE_TEXT
from datasets_app.review.notes.anchors import CheckedPlace, Place, checked_place
from datasets_app.review.notes.errors import NoteClosedError, NoteEditedError, NoteError
from datasets_app.review.notes.mentions import mentioned
from datasets_app.review.notes.threads import Message, Thread, thread_of
from datasets_app.review.submit import KeyReusedError
from datasets_app.text_input.validate import prose_fault

MOST_ANCHORS = 200  # per sample and author
MOST_ENTRIES = 500  # per note
MOST_PER_MINUTE = 60  # entries per author


@needs(Scope.ANNOTATE)
def create_note(
    sample: Sample,
    actor: Actor,
    places: Sequence[Place],
    label: str = "",
    comment: str = "",
    key: uuid.UUID | None = None,
) -> Note:
    """Store a note on one place, or on two that are tied. A repeated key stores nothing new.

    The sample comes with its bodies. Raises PermissionDenied, NoteError (TextReplacedError if a place's digest is not
    the stored text's) and KeyReusedError.
    """
    author, key = actor.person(), key or uuid.uuid4()
    comment = checked_text("The comment", comment, "comment")
    checked_label(label, comment)
    if not 1 <= len(places) <= 2:
        raise NoteError({"lines": "A note has one place, or two that are tied."})
    checked = [checked_place(sample, place) for place in places]
    with transaction.atomic():
        Sample.objects.select_for_update(no_key=True).get(pk=sample.pk)
        if earlier := Note.objects.filter(pk=key).first():
            return same_note(earlier, sample, author, label, comment, checked)
        check_rate(author)
        check_room(sample, author, len(checked))
        note = store(sample, author, label, checked, key)
        add_entry(note, author, NoteEntryKind.COMMENT, comment, number=1)
        audit.record(actor, "note.create", sample, note=str(note.pk), label=label)
        return note


def store(sample: Sample, author: Any, label: str, places: Sequence[CheckedPlace], key: uuid.UUID) -> Note:
    try:
        with transaction.atomic():
            note = Note.objects.create(pk=key, sample=sample, author=author, label=label)
    except IntegrityError as error:  # two samples at once with one key
        raise KeyReusedError(f"The key {key} belongs to another note.") from error
    NoteAnchor.objects.bulk_create(
        NoteAnchor(
            note=note,
            position=position,
            text=place.text,
            start=place.start,
            end=place.end,
            digest=place.digest,
            quote=place.quote,
        )
        for position, place in enumerate(places, 1)
    )
    return note


def same_note(
    note: Note, sample: Sample, author: Any, label: str, comment: str, places: Sequence[CheckedPlace]
) -> Note:
    """Return the stored note if the repeated key came with the same content; otherwise raise KeyReusedError."""
    spans = [(anchor.text, anchor.start, anchor.end) for anchor in note.anchors.all()]
    stored = (note.sample_id, note.author_id, note.label, note.entries.get(number=1).text, spans)
    if stored == (sample.pk, author.pk, label, comment, [(one.text, one.start, one.end) for one in places]):
        return note
    raise KeyReusedError(f"The key {note.pk} was already used for a note with other content.")


@needs(Scope.ANNOTATE)
def answer_note(note: Note, actor: Actor, text: str, key: uuid.UUID | None = None) -> NoteEntry:
    """Add an answer to the note's thread. A repeated key stores nothing new."""
    text = checked_text("The answer", text, "text", required=True)
    return change(note, actor, NoteEntryKind.ANSWER, lambda _: None, text, key)


@needs(Scope.ANNOTATE)
def edit_note(
    note: Note,
    actor: Actor,
    text: str,
    answer: Any = None,
    seen: int | None = None,
    key: uuid.UUID | None = None,
) -> NoteEntry:
    """Replace the text of one's own comment, or of one's own `answer` (its id); the earlier text is kept.

    `seen` is the number of edits that the page showed: raises NoteEditedError if there are more.
    """
    text = checked_text("The text", text, "text", required=True)

    def target(thread: Thread) -> NoteEntry:
        message = open_message(thread, answer)
        if not actor.is_user(message.entry.author_id):
            raise NoteError({"text": f"Only {message.entry.author} may edit this text: answer it instead."})
        if seen is not None and message.edit_count > seen:
            raise NoteEditedError(message.text, message.edit_count)
        return message.entry

    return change(note, actor, NoteEntryKind.EDIT, target, text, key)


@needs(Scope.ANNOTATE)
def withdraw_note(
    note: Note, actor: Actor, reason: str, answer: Any = None, key: uuid.UUID | None = None
) -> NoteEntry:
    """Withdraw a note, or one of its answers (its id), with a reason; its author and curators may. It stays stored."""
    reason = checked_text("The reason", reason, "reason", required=True, most=LONGEST_REASON)

    def target(thread: Thread) -> NoteEntry | None:
        message = open_message(thread, answer)
        require_note(actor, message.entry.author_id)
        return message.entry if answer else None

    return change(note, actor, NoteEntryKind.WITHDRAW, target, reason, key)


@needs(Scope.ANNOTATE)
def resolve_note(note: Note, actor: Actor) -> None:
    """Resolve the note; one that is resolved stays so."""
    set_resolved(note, actor, NoteEntryKind.RESOLVE)


@needs(Scope.ANNOTATE)
def reopen_note(note: Note, actor: Actor) -> None:
    """Reopen a resolved note; one that is open stays so."""
    set_resolved(note, actor, NoteEntryKind.REOPEN)


def set_resolved(note: Note, actor: Actor, kind: NoteEntryKind) -> None:
    with transaction.atomic():
        locked = lock(note)
        thread = thread_of(locked)
        refuse_withdrawn("note", thread.withdrawn)
        if thread.is_resolved != (kind == NoteEntryKind.RESOLVE):
            change(locked, actor, kind, lambda _: None)


def change(
    note: Note,
    actor: Actor,
    kind: NoteEntryKind,
    target: Callable[[Thread], NoteEntry | None],
    text: str = "",
    key: uuid.UUID | None = None,
) -> NoteEntry:
    """Add an entry to a note that is not withdrawn. `target` checks the thread and returns the entry that is meant."""
    author = actor.person()
    with transaction.atomic():
        locked = lock(note)
        if key and (earlier := NoteEntry.objects.filter(pk=key).first()):
            return same_entry(earlier, locked, author, kind, text)
        thread = thread_of(locked)
        refuse_withdrawn("note", thread.withdrawn)
        meant = target(thread)
        check_rate(author)
        entries = locked.entries.count()
        if entries >= MOST_ENTRIES and kind != NoteEntryKind.WITHDRAW:
            raise NoteError(
                {"text": f"This thread has {entries:,} entries, as many as one may: write a new note."}
            )
        entry = add_entry(locked, author, kind, text, number=entries + 1, target=meant, key=key)
        audit.record(actor, f"note.{kind}", locked.sample, note=str(locked.pk))
        return entry


def lock(note: Note) -> Note:
    """Return the note as it is stored, locked until the end of the transaction."""
    return Note.objects.select_for_update(no_key=True, of=("self",)).select_related("sample").get(pk=note.pk)


def same_entry(entry: NoteEntry, note: Note, author: Any, kind: str, text: str) -> NoteEntry:
    if (entry.note_id, entry.author_id, entry.kind, entry.text) == (note.pk, author.pk, kind, text):
        return entry
    raise KeyReusedError(f"The key {entry.pk} was already used with other content.")


def add_entry(
    note: Note,
    author: Any,
    kind: NoteEntryKind,
    text: str,
    *,
    number: int,
    target: NoteEntry | None = None,
    key: uuid.UUID | None = None,
) -> NoteEntry:
    entry = NoteEntry.objects.create(
        pk=key or uuid.uuid4(), note=note, number=number, author=author, kind=kind, target=target, text=text
    )
    if kind != NoteEntryKind.WITHDRAW and (users := mentioned(text)):
        entry.mentions.set(users)
    return entry


def open_message(thread: Thread, answer: Any) -> Message:
    """Return the comment, or the answer with this id. Raises NoteError if there is none, or if it was withdrawn."""
    message = thread.message(answer) if answer else thread.opening
    if message is None:
        raise NoteError({"answer": "This note has no such answer."})
    refuse_withdrawn("answer", message.withdrawn)
    return message


def refuse_withdrawn(what: str, withdrawal: NoteEntry | None) -> None:
    if withdrawal:
        raise NoteClosedError(what, str(withdrawal.author), withdrawal.text)


def checked_text(
    what: str, text: str, name: str, *, required: bool = False, most: int = LONGEST_NOTE_TEXT
) -> str:
    """Return the text as it is stored. Raises NoteError with a sentence under the field's name."""
    text = text.replace("\r\n", "\n").strip()
    fault = prose_fault(what, text, most)
    if required and not text:
        fault = f"{what} is empty: write it, or leave the thread as it is."
    if fault:
        raise NoteError({name: fault})
    return text


def checked_label(label: str, comment: str) -> None:
    if label and label not in NoteLabel.values:
        raise NoteError({"label": f"A label is one of: {', '.join(NoteLabel.values)}."})
    if not label and not comment:
        raise NoteError({"comment": "Choose a label or write a comment, or both."})


def check_rate(author: Any) -> None:
    """Raise NoteError if the author has written too much within a minute."""
    since = timezone.now() - timedelta(minutes=1)
    if NoteEntry.objects.filter(author=author, created_at__gt=since).count() >= MOST_PER_MINUTE:
        raise NoteError(
            {"rate": f"At most {MOST_PER_MINUTE} entries a minute: wait a moment, and send it again."}
        )


def check_room(sample: Sample, author: Any, wanted: int) -> None:
    used = NoteAnchor.objects.filter(note__sample=sample, note__author=author).count()
    if used + wanted > MOST_ANCHORS:
        raise NoteError(
            {"lines": f"You have {used:,} places on this sample; at most {MOST_ANCHORS:,} are allowed."}
        )
