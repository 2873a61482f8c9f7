from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from datasets_app.models.append_only import AppendOnly
from datasets_app.models.judgement_withdrawal import JudgementWithdrawal
from datasets_app.models.sample import Sample
from datasets_app.models.task import Task

LONGEST_PREFERENCE_TEXT = 10_000


class PreferenceChoice(models.TextChoices):
    LEFT = "left"
    RIGHT = "right"
    TIE = "tie"


class PreferenceQuerySet(models.QuerySet["Preference"]):
    def standing(self) -> PreferenceQuerySet:
        """Return the preferences that count: those that are not withdrawn."""
        return self.filter(withdrawal__isnull=True)

    def of_pair(self, one: Any, other: Any) -> PreferenceQuerySet:
        """Return the preferences between two samples, whichever was on the left."""
        return self.filter(Q(left=one, right=other) | Q(left=other, right=one))

    def with_people(self) -> PreferenceQuerySet:
        """Load the reviewers and the withdrawals, with the person who withdrew."""
        return self.select_related("reviewer", "withdrawal__withdrawn_by")


class Preference(AppendOnly):
    """One reviewer's choice between two samples of one task. Append-only: to correct it, withdraw it first."""

    id = models.UUIDField(
        primary_key=True,
        default=uuid.uuid4,
        help_text="created with the form, so that a repeated submission is stored once",
    )
    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="preferences", db_index=False)
    left = models.ForeignKey(Sample, on_delete=models.PROTECT, related_name="preferences_on_the_left")
    right = models.ForeignKey(Sample, on_delete=models.PROTECT, related_name="preferences_on_the_right")
    choice = models.CharField(max_length=5, choices=PreferenceChoice)
    reason = models.TextField(blank=True, max_length=LONGEST_PREFERENCE_TEXT)
    reviewer = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="preferences", db_index=False
    )
    created_at = models.DateTimeField(default=timezone.now)

    objects = PreferenceQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index(fields=["task", "left", "right"], name="preference_of_task"),
            models.Index(fields=["reviewer", "-created_at", "-id"], name="preference_of_reviewer"),
            models.Index(fields=["-created_at", "-id"], name="preference_newest"),
        ]
        constraints = [
            models.CheckConstraint(name="preference_of_two", condition=~Q(left=F("right"))),
        ]

    def __str__(self) -> str:
        return f"{self.choice} of {self.left_id} and {self.right_id} by {self.reviewer_id}"

    @property
    def is_withdrawn(self) -> bool:
        return hasattr(self, "withdrawal")


class PreferenceWithdrawal(JudgementWithdrawal):
    """The withdrawal of a preference."""

    preference = models.OneToOneField(Preference, on_delete=models.PROTECT, related_name="withdrawal")

    def __str__(self) -> str:
        return f"withdrawal of preference {self.preference_id} by {self.withdrawn_by_id}"
