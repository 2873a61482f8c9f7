"""Runs that undo an ingest, or bring back what its undoing withdrew, one row per run."""

from django.conf import settings
from django.db import models
from django.urls import reverse

from datasets_app.models.bounds import LONGEST_REASON
from datasets_app.models.ingest import Ingest
from datasets_app.models.job import Job, JobState


class IngestUndo(Job):
    """One run. Finished batches are kept if it is interrupted: another worker continues from there."""

    ingest = models.ForeignKey(Ingest, on_delete=models.PROTECT, related_name="undo_runs")
    restores = models.BooleanField(default=False, help_text="brings samples back instead of withdrawing them")
    reason = models.TextField(max_length=LONGEST_REASON, blank=True)
    total = models.PositiveIntegerField(default=0, help_text="samples to change, counted when it begins")
    done = models.PositiveIntegerField(default=0, help_text="samples changed in this run")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["ingest"],
                condition=models.Q(state__in=["queued", "running"]),
                name="one_undo_of_an_ingest_at_once",
            )
        ]

    def __str__(self) -> str:
        return f"{'restoring' if self.restores else 'undoing'} of {self.ingest_id}"

    def get_absolute_url(self) -> str:
        return reverse("ingest-undo", args=[self.ingest_id])

    @property
    def sentence(self) -> str:
        """Say how far the run is, or what it did."""
        noun = "sample" if self.done == 1 else "samples"
        if self.state == JobState.DONE:
            return f"{'Brought back' if self.restores else 'Withdrew'} {self.done:,} {noun}."
        verb = "Bringing back" if self.restores else "Withdrawing"
        if self.state == JobState.QUEUED:
            return f"{verb} the samples: waiting for a worker."
        if self.state == JobState.RUNNING:
            return f"{verb} the samples: {self.done:,} of {self.total:,} so far."
        what = "were brought back" if self.restores else "were withdrawn"
        return f"It ended early: {self.done:,} {noun} {what}. Start it again to go on with the others."
