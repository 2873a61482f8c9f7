from __future__ import annotations

from datetime import datetime
from typing import Any

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from datasets_app.models.append_only import AppendOnly
from datasets_app.models.bounds import LONGEST_TEXT
from datasets_app.models.sample import Sample, Verdict

SCORE: dict[str, Any] = {
    "null": True,
    "blank": True,
    "validators": [MinValueValidator(1), MaxValueValidator(5)],
}


class ReviewQuerySet(models.QuerySet["Review"]):
    def with_reviewer(self) -> ReviewQuerySet:
        return self.select_related("reviewer")

    def for_sample(self, sample_id: Any) -> ReviewQuerySet:
        return self.filter(sample_id=sample_id).with_reviewer()


class Review(AppendOnly):
    """One reviewer's judgement of one sample. Append-only: a correction is a new review."""

    sample = models.ForeignKey(Sample, on_delete=models.PROTECT, related_name="reviews")
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="reviews")
    verdict = models.CharField(max_length=10, choices=Verdict)
    correctness = models.PositiveSmallIntegerField(
        **SCORE, help_text="1 to 5: does the kernel compute the task?"
    )
    kernel_quality = models.PositiveSmallIntegerField(**SCORE, help_text="1 to 5: is it a good kernel?")
    trace_quality = models.PositiveSmallIntegerField(**SCORE, help_text="1 to 5: does the trace reason well?")
    faithfulness = models.PositiveSmallIntegerField(
        **SCORE, help_text="1 to 5: does the trace explain this kernel?"
    )
    comment = models.TextField(blank=True, max_length=LONGEST_TEXT)
    key = models.UUIDField(
        unique=True, help_text="created with the form, so that a repeated submission is stored once"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ReviewQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index(fields=["sample", "-created_at", "-id"], name="review_newest"),
            models.Index(fields=["reviewer", "-created_at", "-id"], name="review_of_reviewer"),
            models.Index(fields=["-created_at", "-id"], name="review_list"),
        ]
        constraints = [
            models.CheckConstraint(
                name=f"review_{field}_1_to_5",
                condition=Q(**{f"{field}__isnull": True}) | Q(**{f"{field}__range": (1, 5)}),
            )
            for field in ("correctness", "kernel_quality", "trace_quality", "faithfulness")
        ]

    def __str__(self) -> str:
        return f"{self.verdict} of {self.sample_id} by {self.reviewer_id}"

    def score_list(self) -> list[tuple[str, int]]:
        """Return the scores that were given, by title."""
        scores = [
            ("correctness", self.correctness),
            ("kernel", self.kernel_quality),
            ("trace", self.trace_quality),
            ("faithfulness", self.faithfulness),
        ]
        return [(title, score) for title, score in scores if score is not None]


class ReviewClaim(models.Model):
    """A reviewer's claim on an open sample; until it expires, the sample is offered to no other reviewer."""

    sample = models.OneToOneField(Sample, on_delete=models.CASCADE, primary_key=True, related_name="claim")
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="claims")
    expires_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.sample_id} claimed by {self.reviewer_id} until {self.expires_at:%H:%M}"


class ReviewDraft(models.Model):
    """A reviewer's unsubmitted input, saved so that closing the page loses nothing."""

    sample = models.ForeignKey(Sample, on_delete=models.CASCADE, related_name="drafts")
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="drafts")
    fields = models.JSONField(default=dict)
    skipped_at = models.DateTimeField(
        null=True, blank=True, help_text="skipped by this reviewer: offered last"
    )
    updated_at = models.DateTimeField(auto_now=True)
    version = models.BigIntegerField(
        default=0, help_text="increases with each save; a page sends the version that it has loaded"
    )
    written_by = models.UUIDField(null=True, blank=True, help_text="key of the form that saved it last")
    set_aside = models.JSONField(
        default=dict,
        blank=True,
        help_text="texts of other pages that were based on an older version: form key to {fields, at}",
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["sample", "reviewer"], name="one_draft_a_reviewer")]

    def __str__(self) -> str:
        return f"draft for {self.sample_id} by {self.reviewer_id}"

    def gist(self) -> str:
        """Return the start of the comment or the verdict, to tell drafts apart."""
        texts = [self.fields, *(text["fields"] for text in self.set_aside.values())]
        return next(
            (str(gist) for text in texts if (gist := text.get("comment") or text.get("verdict"))), ""
        )[:80]

    def other_texts(self) -> list[dict[str, Any]]:
        """Return the texts that were set aside, newest first: `name`, `at` and `fields`."""
        rows = [
            {"name": name, "at": datetime.fromisoformat(text["at"]), "fields": text["fields"]}
            for name, text in self.set_aside.items()
        ]
        return sorted(rows, key=lambda row: row["at"], reverse=True)
