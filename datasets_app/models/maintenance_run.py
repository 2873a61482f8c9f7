"""Maintenance runs: background updates of derived data, one row per run."""

from django.conf import settings
from django.db import models

from datasets_app.models.job import Job, JobState


class MaintenanceKind(models.TextChoices):
    NEIGHBOURS = "neighbours", "Index of similar kernels"
    TOKENS = "tokens", "Trace lengths"
    SEARCH = "search", "Text search"
    EVIDENCE = "evidence", "Evidence by device"
    VERDICTS = "verdicts", "Verdicts of reviews"


class MaintenanceRun(Job):
    """One run of one kind. Finished batches are kept if it is interrupted: the next run continues from there."""

    kind = models.CharField(max_length=20, choices=MaintenanceKind)
    done = models.PositiveIntegerField(default=0, help_text="samples brought up to date in this run")
    total = models.PositiveIntegerField(default=0, help_text="samples that were outdated when it began")
    detail = models.CharField(max_length=200, blank=True, help_text="version that it updates them to")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [models.Index(fields=["kind", "state"], name="maintenance_kind_state")]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} #{self.pk}"

    @property
    def rows_per_second(self) -> float:
        return self.done / self.seconds_taken if self.seconds_taken else 0.0

    @property
    def seconds_left(self) -> int | None:
        """Estimated from the rate so far; None before there is progress."""
        if self.state != JobState.RUNNING or not self.done:
            return None
        return int(self.seconds_taken * max(0, self.total - self.done) / self.done)
