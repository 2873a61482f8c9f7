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
    """A job's states, and one more: an ingest can be cancelled."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Ingest(Job):
    """One file read into the site, with every count on the way."""

    state = models.CharField(max_length=10, choices=IngestState, default=IngestState.QUEUED, db_index=True)
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    file_name = models.CharField(max_length=255)
    path = models.CharField(max_length=1000, help_text="where the file or folder lies on the server")
    size_bytes = models.PositiveBigIntegerField(default=0)
    sha256 = models.CharField(max_length=64, blank=True)
    format = models.CharField(
        max_length=40, blank=True, help_text="the reader's name; empty until recognised"
    )
    mapping = models.JSONField(default=dict, blank=True, help_text="field to column, for the generic reader")
    claimed_device = models.CharField(
        max_length=120,
        blank=True,
        help_text="that the file's claims were measured on, where its rows do not say",
    )
    after = models.ForeignKey(
        "self",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="followers",
        help_text="the ingest that has to end first, of files given together",
    )
    group = models.UUIDField(
        null=True, blank=True, db_index=True, help_text="shared by files that were given together"
    )
    source = models.ForeignKey(
        Source,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="ingests",
        help_text="null: the format's own, once the file is recognised",
    )
    said = models.JSONField(default=dict, blank=True, help_text="source, address and licence as given")
    seen = models.JSONField(
        default=dict, blank=True, help_text="columns and first rows of a file that no format recognised"
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
        default=0, help_text="rows that added nothing: all was there already"
    )
    refused = models.PositiveIntegerField(default=0)
    refused_kept = models.PositiveIntegerField(default=0, help_text="refused rows that are stored")
    awaiting_task = models.PositiveIntegerField(
        default=0, help_text="refused rows that go in when their task is stored"
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
        """It can be cancelled."""
        return not self.is_finished or self.needs_a_choice

    @property
    def source_name(self) -> str:
        return self.source.name if self.source else ""

    @property
    def licence(self) -> str:
        return self.source.licence if self.source else ""

    @property
    def added(self) -> int:
        """Rows that brought something new."""
        return self.rows - self.duplicates - self.refused

    @property
    def percent(self) -> int:
        """How much of the file is read."""
        return min(100, 100 * self.bytes_read // self.size_bytes) if self.size_bytes else 0

    @property
    def is_stuck(self) -> bool:
        """Nobody took it for so long that no worker can be running."""
        free = self.after is None or self.after.is_finished
        return self.state == JobState.QUEUED and free and timezone.now() - self.created_at > STUCK_AFTER

    @property
    def rows_per_second(self) -> float:
        seconds = self.seconds_taken
        return self.rows / seconds if seconds else 0.0

    @property
    def seconds_taken(self) -> float:
        if self.started_at is None:
            return 0.0
        return ((self.finished_at or timezone.now()) - self.started_at).total_seconds()

    @property
    def seconds_left(self) -> int | None:
        """By the part of the file that is read; None before anything is known."""
        if self.state != JobState.RUNNING or not self.bytes_read:
            return None
        return int(self.seconds_taken * (self.size_bytes - self.bytes_read) / self.bytes_read)

    @property
    def needs_a_choice(self) -> bool:
        """No format recognised the file: a person has to say what it is."""
        return self.state == JobState.FAILED and not self.format

    def get_absolute_url(self) -> str:
        return reverse("ingest-detail", args=[self.pk])


class RefusedRow(models.Model):
    """A row that could not go in: where it stood, why, and the row itself so that it can be mended."""

    ingest = models.ForeignKey(Ingest, on_delete=models.CASCADE, related_name="refused_rows")
    line = models.PositiveIntegerField(help_text="1-based line or row of the file")
    field = models.CharField(max_length=80, blank=True)
    reason = models.CharField(max_length=500)
    value = models.CharField(max_length=200, blank=True, help_text="the start of the offending value")
    raw = models.TextField(blank=True, help_text="the row as JSON or as it stood, capped")
    awaits = models.CharField(
        max_length=80, blank=True, help_text="the suite whose task is not stored yet; empty: to be mended"
    )

    class Meta:
        ordering = ["ingest", "line", "id"]
        indexes = [
            models.Index(fields=["ingest", "line", "id"], name="refused_in_order"),
            models.Index(fields=["awaits"], condition=~models.Q(awaits=""), name="refused_awaiting_task"),
        ]

    def __str__(self) -> str:
        return f"line {self.line}: {self.reason}"
