from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, OuterRef, Q, Subquery
from django.utils import timezone

from datasets_app.models.append_only import AppendOnly
from datasets_app.models.note_label import NoteLabel
from datasets_app.models.sample import Sample

LONGEST_NOTE_TEXT = 10_000  # characters of a comment, an answer or a reason
LONGEST_QUOTE = 200


class NotedText(models.TextChoices):
    """A text of a sample that a note can be anchored to."""

    PROGRAM = "program"
    TRACE = "trace"
    KERNEL = "kernel"


class NoteEntryKind(models.TextChoices):
    COMMENT = "comment"  # the first entry of every note; may be empty if the note has a label
    ANSWER = "answer"
    EDIT = "edit"
    RESOLVE = "resolve"
    REOPEN = "reopen"
    WITHDRAW = "withdraw"


class NoteQuerySet(models.QuerySet["Note"]):
    def with_state(self) -> NoteQuerySet:
        """Annotate `last_state`: the kind of the newest entry that resolved, reopened or withdrew the note, if any."""
        of_note = Q(note=OuterRef("pk"), target__isnull=True)
        kinds = [NoteEntryKind.RESOLVE, NoteEntryKind.REOPEN, NoteEntryKind.WITHDRAW]
        newest = NoteEntry.objects.filter(of_note, kind__in=kinds).order_by("-number")
        return self.annotate(last_state=Subquery(newest.values("kind")[:1]))

    def with_thread(self) -> NoteQuerySet:
        """Load authors, anchors, entries and mentions; four queries for any number of notes."""
        entries = NoteEntry.objects.select_related("author").prefetch_related("mentions")
        return self.select_related("author").prefetch_related(
            "anchors", models.Prefetch("entries", queryset=entries)
        )


class Note(AppendOnly):
    """A label and a thread about spans of a sample's texts. Append-only: all that follows is a `NoteEntry`."""

    id = models.UUIDField(
        primary_key=True,
        default=uuid.uuid4,
        help_text="created with the form, so that a repeated submission is stored once",
    )
    sample = models.ForeignKey(Sample, on_delete=models.PROTECT, related_name="notes", db_index=False)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="notes")
    label = models.CharField(max_length=20, choices=NoteLabel, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    objects = NoteQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index(fields=["sample", "-created_at", "-id"], name="note_of_sample"),
            models.Index(fields=["-created_at", "-id"], name="note_newest"),
        ]

    def __str__(self) -> str:
        return f"note {str(self.pk)[:8]} on {self.sample_id} by {self.author_id}"

    def get_absolute_url(self) -> str:
        return f"{self.sample.get_absolute_url()}#thread-{self.pk}"


class NoteAnchor(AppendOnly):
    """A span of one stored text: Unicode code points from `start` up to, not including, `end`.

    The digest says which text was meant: if it is no longer the stored one, the offsets mean nothing there, and the
    quote is what remains. The second anchor, if any, is the text that the first one became, or came from.
    """

    note = models.ForeignKey(Note, on_delete=models.PROTECT, related_name="anchors", db_index=False)
    position = models.PositiveSmallIntegerField(help_text="1: the note's own anchor, 2: the one tied to it")
    text = models.CharField(max_length=10, choices=NotedText)
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    digest = models.CharField(max_length=64, help_text="SHA-256 of the text as UTF-8, in hex")
    quote = models.CharField(max_length=LONGEST_QUOTE, help_text="the beginning of the span")

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["note", "position"], name="note_anchor_once"),
            models.CheckConstraint(name="note_anchor_1_or_2", condition=Q(position__range=(1, 2))),
            models.CheckConstraint(name="note_anchor_not_empty", condition=Q(end__gt=F("start"))),
        ]

    def __str__(self) -> str:
        return f"{self.text} {self.start} to {self.end}"


class NoteEntry(AppendOnly):
    """One event of a note's thread. An edit or a withdrawal of an answer names it as `target`."""

    id = models.UUIDField(
        primary_key=True,
        default=uuid.uuid4,
        help_text="created with the form, so that a repeated submission is stored once",
    )
    note = models.ForeignKey(Note, on_delete=models.PROTECT, related_name="entries", db_index=False)
    number = models.PositiveIntegerField(help_text="from 1, in the order of the thread")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="note_entries", db_index=False
    )
    kind = models.CharField(max_length=10, choices=NoteEntryKind)
    target = models.ForeignKey(
        "self",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="changes",
        db_index=False,
        help_text="the comment or answer that this edits or withdraws; empty: it concerns the note",
    )
    text = models.TextField(blank=True, max_length=LONGEST_NOTE_TEXT)
    mentions: Any = models.ManyToManyField(
        settings.AUTH_USER_MODEL,
        blank=True,
        related_name="note_mentions",
        help_text="accounts named in the text",
    )
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["number"]
        verbose_name_plural = "note entries"
        indexes = [models.Index(fields=["author", "-created_at"], name="note_entry_of_author")]
        constraints = [models.UniqueConstraint(fields=["note", "number"], name="note_entry_once")]

    def __str__(self) -> str:
        return f"{self.kind} {self.number} of note {self.note_id}"


class NoteRead(models.Model):
    """How far a person has read a thread: entries up to this number are no longer in their inbox."""

    note = models.ForeignKey(Note, on_delete=models.PROTECT, related_name="+", db_index=False)
    reader = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    number = models.PositiveIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["reader", "note"], name="note_read_once")]

    def __str__(self) -> str:
        return f"{self.reader_id} has read note {self.note_id} up to {self.number}"
