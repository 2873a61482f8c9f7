"""Background work on what is derived from the rows: made after them, and made again when its rule changes."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from datasets_app.models.job import Job, JobState


class UpkeepKind(models.TextChoices):
    NEIGHBOURS = "neighbours", "Index of similar kernels"
    TOKENS = "tokens", "Trace lengths"
    SEARCH = "search", "Text search"
    EVIDENCE = "evidence", "Evidence by device"


class Upkeep(Job):
    """One run. What it has done stays done whatever becomes of it: the next goes on where it ended."""

    kind = models.CharField(max_length=20, choices=UpkeepKind)
    done = models.PositiveIntegerField(default=0, help_text="samples brought up to date in this run")
    total = models.PositiveIntegerField(default=0, help_text="samples that waited when it began")
    detail = models.CharField(max_length=200, blank=True, help_text="what it brings them to")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [models.Index(fields=["kind", "state"], name="upkeep_kind_state")]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} #{self.pk}"

    @property
    def seconds_taken(self) -> float:
        if self.started_at is None:
            return 0.0
        return ((self.finished_at or timezone.now()) - self.started_at).total_seconds()

    @property
    def rows_per_second(self) -> float:
        return self.done / self.seconds_taken if self.seconds_taken else 0.0

    @property
    def seconds_left(self) -> int | None:
        """By the pace so far; None before there is one."""
        if self.state != JobState.RUNNING or not self.done:
            return None
        return int(self.seconds_taken * max(0, self.total - self.done) / self.done)
