"""Reads notes: their threads folded from the stored entries, and the spans that panes draw."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Q

from datasets_app.accounts.actor import Actor
from datasets_app.accounts.ownership import may_withdraw
from datasets_app.browse.highlight.spans import LineIndex, Span
from datasets_app.browse.panes.noted import NotedSpans
from datasets_app.browse.sample.comparison import text_of
from datasets_app.db.some_rows import Some
from datasets_app.models import Note, NoteAnchor, NoteEntry, NoteEntryKind, NoteLabel, Review, Sample
from datasets_app.models.note import NoteQuerySet
from datasets_app.review.blind import is_blind_to, readable_samples
from datasets_app.review.notes.anchors import digest_of
from datasets_app.syntax.kernel.sensitive import Region, Sensitive

MOST_SHOWN = 300  # notes of a page, newest first
RESOLVED = "resolved"  # drawn instead of the label


@dataclass
class Message:
    """A comment or an answer with its current text, its earlier ones, oldest first, and its withdrawal, if any."""

    entry: NoteEntry
    texts: list[NoteEntry]
    withdrawn: NoteEntry | None = None

    @property
    def text(self) -> str:
        return self.texts[-1].text

    @property
    def earlier(self) -> list[NoteEntry]:
        return self.texts[:-1]

    @property
    def edit_count(self) -> int:
        return len(self.texts) - 1


@dataclass(frozen=True)
class ShownAnchor:
    """An anchor with the lines that it covers; without lines, it belongs to an earlier text."""

    anchor: NoteAnchor
    lines: tuple[int, int] | None

    @property
    def is_current(self) -> bool:
        return self.lines is not None

    @property
    def fragment(self) -> str:
        """Return the permalink of the first line in the panes; empty without lines."""
        return f"{self.anchor.text}-L{self.lines[0]}" if self.lines else ""

    @property
    def words(self) -> str:
        """Return such as `kernel, lines 3 to 5`."""
        if self.lines is None:
            return f"an earlier {self.anchor.text}"
        first, last = self.lines
        return (
            f"{self.anchor.text}, line {first:,}"
            if first == last
            else f"{self.anchor.text}, lines {first:,} to {last:,}"
        )


@dataclass
class Thread:
    """A note as it is now."""

    note: Note
    opening: Message
    answers: list[Message]
    changes: list[NoteEntry]  # that resolved, reopened or withdrew it, oldest first
    anchors: list[ShownAnchor] = field(default_factory=list)
    may_withdraw: bool = False

    @property
    def label(self) -> str:
        return str(NoteLabel(self.note.label).label) if self.note.label else ""

    @property
    def withdrawn(self) -> NoteEntry | None:
        return next((entry for entry in self.changes if entry.kind == NoteEntryKind.WITHDRAW), None)

    @property
    def is_resolved(self) -> bool:
        return bool(self.changes) and self.changes[-1].kind == NoteEntryKind.RESOLVE

    @property
    def state(self) -> str:
        return "withdrawn" if self.withdrawn else RESOLVED if self.is_resolved else "open"

    def message(self, entry_id: Any) -> Message | None:
        """Return the comment or the answer with this id, if any."""
        return next((one for one in (self.opening, *self.answers) if one.entry.pk == entry_id), None)


@dataclass(frozen=True)
class NoteList:
    """The threads of a sample that an actor may see, newest first."""

    threads: list[Thread]
    more: int = 0  # left out
    is_blind: bool = False  # other people's are hidden

    @property
    def open_count(self) -> int:
        return sum(thread.state == "open" for thread in self.threads)


def thread_of(note: Note) -> Thread:
    """Return a note's thread, folded from its entries, which are in the order of their numbers."""
    messages: dict[Any, Message] = {}
    changes: list[NoteEntry] = []
    for entry in note.entries.all():
        target = messages.get(entry.target_id)
        if entry.kind in (NoteEntryKind.COMMENT, NoteEntryKind.ANSWER):
            messages[entry.pk] = Message(entry, [entry])
        elif target is None:
            changes.append(entry)
        elif entry.kind == NoteEntryKind.EDIT:
            target.texts.append(entry)
        else:
            target.withdrawn = entry
    opening, *answers = messages.values()
    return Thread(note, opening, answers, changes)


def readable_notes(actor: Actor) -> NoteQuerySet:
    """Return the notes of all samples; in blind review own ones, and those on samples that the reader has reviewed."""
    readable = readable_samples(actor)
    return Note.objects.filter(Q(author=actor.user) | readable) if readable else Note.objects.all()


def notes_of(sample: Sample, actor: Actor, some: Some = (Note,), hidden: bool | None = None) -> NoteList:
    """Return the notes of a sample, which comes with its bodies; at most seven queries.

    `some`: the tables that have a row of the sample. `hidden`: whether others' notes are hidden; None: until the own
    review, where the actor reviews blind.
    """
    is_blind = are_hidden(sample, actor) if hidden is None else hidden
    if Note not in some:
        return NoteList([], 0, is_blind)
    notes = Note.objects.filter(sample=sample)
    notes = notes.filter(author=actor.user) if is_blind else notes
    rows = list(notes.with_thread()[: MOST_SHOWN + 1])
    more = notes.count() - MOST_SHOWN if len(rows) > MOST_SHOWN else 0
    texts = StoredTexts(sample)
    threads = [shown(note, texts, actor) for note in rows[:MOST_SHOWN]]
    return NoteList(threads, more, is_blind)


def are_hidden(sample: Sample, actor: Actor) -> bool:
    """Return whether others' notes are hidden from the actor."""
    if not is_blind_to(actor, sample):
        return False
    own = Review.objects.standing().filter(sample=sample, reviewer=actor.user).order_by()
    return not own.exists()


def shown(note: Note, texts: StoredTexts, actor: Actor) -> Thread:
    thread = thread_of(note)
    thread.anchors = [ShownAnchor(anchor, texts.lines_of(anchor)) for anchor in note.anchors.all()]
    thread.may_withdraw = may_withdraw(actor, note.author_id)
    return thread


class StoredTexts:
    """The texts of one sample, each with its digest and its lines once it is needed."""

    def __init__(self, sample: Sample) -> None:
        self.sample = sample
        self.read: dict[str, tuple[str, LineIndex]] = {}

    def lines_of(self, anchor: NoteAnchor) -> tuple[int, int] | None:
        """Return the first and last line of an anchor; None if it belongs to an earlier text."""
        if anchor.text not in self.read:
            text = text_of(self.sample, anchor.text)
            self.read[anchor.text] = digest_of(text), LineIndex(text)
        digest, index = self.read[anchor.text]
        if anchor.digest != digest or anchor.end > index.length:
            return None
        return index.lines_of(Span(anchor.start, anchor.end, ""))


def spans_of(threads: Iterable[Thread]) -> dict[str, NotedSpans]:
    """Return what the panes draw, by text: notes that are not withdrawn, and whose text is still the stored one."""
    spans: dict[str, list[Span]] = {}
    labels: dict[str, str] = {}
    for thread in threads:
        if thread.withdrawn:
            continue
        key = str(thread.note.pk)
        labels[key] = RESOLVED if thread.is_resolved else thread.note.label
        for row in thread.anchors:
            if row.is_current:
                spans.setdefault(row.anchor.text, []).append(Span(row.anchor.start, row.anchor.end, key))
    return {name: NotedSpans(tuple(rows), labels) for name, rows in spans.items()}


def regions_of(threads: Iterable[Thread]) -> tuple[Region, ...]:
    """Return the parts of the kernel that notes mark as CUDA-sensitive, of the notes that the panes draw."""
    marking = (
        thread for thread in threads if not thread.withdrawn and thread.note.label == NoteLabel.CUDA_SENSITIVE
    )
    return tuple(
        Region(row.anchor.start, row.anchor.end, Sensitive.NOTED)
        for thread in marking
        for row in thread.anchors
        if row.is_current and row.anchor.text == "kernel"
    )
