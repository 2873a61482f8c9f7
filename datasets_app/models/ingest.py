import uuid
from datetime import timedelta

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils import timezone

from datasets_app.models.job import Job, JobState
from datasets_app.models.source import Source

STUCK_AFTER = timedelta(seconds=20)


class IngestState(models.TextChoices):
    """The states of a job, and `cancelled`."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Ingest(Job):
    """One file read into the site, with all counts."""

    state = models.CharField(max_length=10, choices=IngestState, default=IngestState.QUEUED, db_index=True)
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    file_name = models.CharField(max_length=255)
    path = models.CharField(max_length=1000, help_text="path of the file or folder on the server")
    size_bytes = models.PositiveBigIntegerField(default=0)
    sha256 = models.CharField(max_length=64, blank=True)
    format = models.CharField(
        max_length=40, blank=True, help_text="the reader's name; empty until recognised"
    )
    mapping = models.JSONField(default=dict, blank=True, help_text="field to column, for the generic reader")
    claimed_device = models.CharField(
        max_length=120,
        blank=True,
        help_text="device the claims were measured on, for rows that do not name one",
    )
    after = models.ForeignKey(
        "self",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="followers",
        help_text="the ingest that has to end first, of files uploaded together",
    )
    group = models.UUIDField(
        null=True, blank=True, db_index=True, help_text="shared by files that were uploaded together"
    )
    source = models.ForeignKey(
        Source,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="ingests",
        help_text="null: the format's own, once the file is recognised",
    )
    provenance = models.JSONField(default=dict, blank=True, help_text="source, URL and licence as entered")
    seen = models.JSONField(
        default=dict,
        blank=True,
        help_text="columns and first rows of a file that no format recognised; of one that was read, its columns "
        "without a field, and faulty values without which rows were stored",
    )
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True)
    bytes_read = models.PositiveBigIntegerField(default=0)
    rows = models.PositiveIntegerField(default=0)
    new_tasks = models.PositiveIntegerField(default=0, help_text="tasks that were new")
    new_samples = models.PositiveIntegerField(default=0, help_text="samples that were new")
    new_records = models.PositiveIntegerField(
        default=0, help_text="records of another kind that were new, such as verification reports"
    )
    task_only_rows = models.PositiveIntegerField(default=0, help_text="rows that hold a task and no kernel")
    duplicates = models.PositiveIntegerField(
        default=0, help_text="rows that added nothing, because everything was stored already"
    )
    restored_samples = models.PositiveIntegerField(
        default=0, help_text="samples brought back that the undoing of an earlier ingest had withdrawn"
    )
    refused = models.PositiveIntegerField(default=0)
    refused_kept = models.PositiveIntegerField(default=0, help_text="refused rows that are stored")
    awaiting_task = models.PositiveIntegerField(
        default=0, help_text="refused rows that are stored once their task is"
    )
    refused_bytes = models.PositiveBigIntegerField(default=0, help_text="characters of their texts")

    class Meta:
        ordering = ["-created_at"]
        indexes = [models.Index(fields=["-created_at", "-id"], name="ingest_newest")]

    def __str__(self) -> str:
        return self.file_name

    @property
    def is_finished(self) -> bool:
        return self.state in (IngestState.DONE, IngestState.FAILED, IngestState.CANCELLED)

    @property
    def is_open(self) -> bool:
        """True if it can be cancelled."""
        return not self.is_finished or self.needs_a_choice

    @property
    def source_name(self) -> str:
        return self.source.name if self.source else ""

    @property
    def licence(self) -> str:
        return self.source.licence if self.source else ""

    @property
    def added(self) -> int:
        """Rows that added something new."""
        return self.rows - self.duplicates - self.refused

    @property
    def percent(self) -> int:
        """Percentage of the file that has been read."""
        return min(100, 100 * self.bytes_read // self.size_bytes) if self.size_bytes else 0

    @property
    def is_stuck(self) -> bool:
        """True if no worker has claimed it for so long that none can be running."""
        free = self.after is None or self.after.is_finished
        expected = self.lease_until or self.created_at + STUCK_AFTER
        return self.state == JobState.QUEUED and free and timezone.now() > expected

    @property
    def rows_per_second(self) -> float:
        seconds = self.seconds_taken
        return self.rows / seconds if seconds else 0.0

    @property
    def seconds_left(self) -> int | None:
        """Estimated from the part of the file that has been read; None before there is progress."""
        if self.state != JobState.RUNNING or not self.bytes_read:
            return None
        return int(self.seconds_taken * (self.size_bytes - self.bytes_read) / self.bytes_read)

    @property
    def needs_a_choice(self) -> bool:
        """True if no format recognised the file, so that a person has to choose one."""
        return self.state == JobState.FAILED and not self.format

    @property
    def column_notes(self) -> list[str]:
        """Return a sentence about the columns that no field took, and one per column with faulty values."""
        unused = ", ".join(self.seen.get("unused", ()))
        notes = [f"Columns not used, only kept with their rows: {unused}."] if unused else []
        for column, first in sorted(self.seen.get("left_out", {}).items()):
            rows = f"{first['rows']:,} {'row' if first['rows'] == 1 else 'rows'}"
            value = f" ({first['value']})" if first["value"] else ""
            where = f"line {first['line']:,}" if first["rows"] == 1 else f"first in line {first['line']:,}"
            notes.append(f"{column} was left out of {rows}: it {first['reason']}{value}, {where}.")
        return notes

    @property
    def is_unreadable(self) -> bool:
        """True if nothing could be made of the file, whatever format is chosen."""
        return not self.format and bool(self.seen.get("unreadable"))

    @property
    def shown_state(self) -> str:
        """Return the state as pages name it: a file may be done although rows of it were refused."""
        if self.needs_a_choice:
            return "unreadable" if self.is_unreadable else "needs_a_choice"
        if self.state != JobState.DONE or self.refused <= self.awaiting_task:
            return self.state
        return "partly_refused" if self.added > 0 else "nothing_added"

    def get_absolute_url(self) -> str:
        return reverse("ingest-detail", args=[self.pk])


class RefusedRow(models.Model):
    """A row that could not be stored: its line, the reason, and the row itself so that it can be corrected."""

    ingest = models.ForeignKey(Ingest, on_delete=models.CASCADE, related_name="refused_rows")
    line = models.PositiveIntegerField(help_text="1-based line or row of the file")
    field = models.CharField(max_length=80, blank=True)
    reason = models.CharField(max_length=500)
    value = models.CharField(max_length=200, blank=True, help_text="start of the offending value")
    raw = models.TextField(blank=True, help_text="the row as JSON or as in the file, truncated")
    awaits = models.CharField(
        max_length=80, blank=True, help_text="the suite whose task is not stored yet; empty: to be corrected"
    )

    class Meta:
        ordering = ["ingest", "line", "id"]
        indexes = [
            models.Index(fields=["ingest", "line", "id"], name="refused_in_order"),
            models.Index(fields=["awaits"], condition=~models.Q(awaits=""), name="refused_awaiting_task"),
        ]

    def __str__(self) -> str:
        return f"line {self.line}: {self.reason}"
