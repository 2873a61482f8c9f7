"""Withdrawals of samples: hidden from lists, queues and recipes, still stored and reachable by id."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from datasets_app.models.bounds import LONGEST_REASON
from datasets_app.models.ingest import Ingest
from datasets_app.models.sample import Sample


class SampleWithdrawalQuerySet(models.QuerySet["SampleWithdrawal"]):
    def in_force(self) -> SampleWithdrawalQuerySet:
        """Return the withdrawals that hide their sample now."""
        return self.filter(ended_at=None)

    def hiding(self, sample: Sample) -> SampleWithdrawal | None:
        """Return the withdrawal that hides the sample now, if any; no query for a sample in use."""
        rows = self.in_force().select_related("withdrawn_by", "ingest")
        return rows.filter(sample=sample).first() if sample.withdrawn else None


class SampleWithdrawal(models.Model):
    """One withdrawal of a sample, with who and why, until somebody brings the sample back. Rows are never deleted."""

    sample = models.ForeignKey(Sample, on_delete=models.PROTECT, related_name="withdrawals")
    reason = models.TextField(max_length=LONGEST_REASON)
    ingest = models.ForeignKey(
        Ingest,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="withdrawals",
        help_text="whose undoing withdrew it; null: withdrawn by itself",
    )
    withdrawn_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(default=timezone.now)
    ended_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    ended_at = models.DateTimeField(null=True, blank=True, help_text="when the sample was brought back")

    objects = SampleWithdrawalQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["sample"], condition=Q(ended_at__isnull=True), name="sample_withdrawn_once"
            )
        ]

    def __str__(self) -> str:
        return f"withdrawal of {self.sample_id}"

    @property
    def sentence(self) -> str:
        who = self.withdrawn_by.get_username() if self.withdrawn_by else "A command"
        return f"{who} withdrew this sample: “{self.reason}”."
