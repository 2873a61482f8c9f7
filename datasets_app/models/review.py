from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.conf import settings
from django.core.validators import MaxValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone

from datasets_app.models.append_only import AppendOnly
from datasets_app.models.bounds import LONGEST_ACTIVE_S, LONGEST_TEXT
from datasets_app.models.judgement_withdrawal import JudgementWithdrawal
from datasets_app.models.rubric import RubricVersion
from datasets_app.models.sample import Sample, Verdict


class ReviewKind(models.TextChoices):
    VOTE = "vote", "review"
    ADJUDICATION = "adjudication"


class ReviewQuerySet(models.QuerySet["Review"]):
    def standing(self) -> ReviewQuerySet:
        """Return the reviews that count: those that are not withdrawn."""
        return self.filter(withdrawal__isnull=True).select_related("withdrawal")

    def votes(self) -> ReviewQuerySet:
        """Return the standing reviews that are no adjudication."""
        return self.standing().filter(kind=ReviewKind.VOTE)

    def with_reviewer(self) -> ReviewQuerySet:
        """Load the reviewers, the rubrics, and the withdrawals with the person who withdrew."""
        return self.with_rubric().select_related("reviewer", "withdrawal__withdrawn_by")

    def with_rubric(self) -> ReviewQuerySet:
        """Load the rubrics, without their long text."""
        return self.select_related("rubric").defer("rubric__guidelines", "rubric__note")

    def for_sample(self, sample_id: Any) -> ReviewQuerySet:
        return self.filter(sample_id=sample_id).with_reviewer()


class Review(AppendOnly):
    """One reviewer's judgement of one sample. Append-only: a correction is a new review."""

    sample = models.ForeignKey(Sample, on_delete=models.PROTECT, related_name="reviews")
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="reviews")
    kind = models.CharField(
        max_length=12,
        choices=ReviewKind,
        default=ReviewKind.VOTE,
        help_text="adjudication: the decision of a curator where reviewers disagree; it wins",
    )
    verdict = models.CharField(max_length=10, choices=Verdict)
    rubric = models.ForeignKey(
        RubricVersion,
        on_delete=models.PROTECT,
        related_name="reviews",
        help_text="the version that it was made under",
    )
    scores = models.JSONField(default=dict, blank=True, help_text="1 to 5 by the name of the criterion")
    reasons = models.JSONField(default=list, blank=True, help_text="codes of the rubric, in its order")
    comment = models.TextField(blank=True, max_length=LONGEST_TEXT)
    active_s = models.PositiveIntegerField(
        null=True,
        blank=True,
        validators=[MaxValueValidator(LONGEST_ACTIVE_S)],
        help_text="seconds in which the reviewer was active on the sample's page; null: not measured",
    )
    key = models.UUIDField(
        unique=True, help_text="created with the form, so that a repeated submission is stored once"
    )
    created_at = models.DateTimeField(default=timezone.now)

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
                name="review_active_s_bounded",
                condition=Q(active_s__isnull=True) | Q(active_s__lte=LONGEST_ACTIVE_S),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.verdict} of {self.sample_id} by {self.reviewer_id}"

    @property
    def is_adjudication(self) -> bool:
        return self.kind == ReviewKind.ADJUDICATION

    @property
    def is_withdrawn(self) -> bool:
        return hasattr(self, "withdrawal")

    def score_list(self, names: Collection[str] | None = None) -> list[tuple[str, int]]:
        """Return the scores that were given, by title, in the order of the review's rubric; of `names`, if given."""
        given = set(self.scores) if names is None else self.scores.keys() & set(names)
        return [
            (one.title.lower(), self.scores[one.name])
            for one in self.rubric.criterion_list
            if one.name in given
        ]

    def reason_titles(self) -> list[str]:
        return [one.title for one in self.rubric.reason_list if one.code in self.reasons]


class ReviewWithdrawal(JudgementWithdrawal):
    """The withdrawal of a review, which stays shown."""

    review = models.OneToOneField(Review, on_delete=models.PROTECT, related_name="withdrawal")

    def __str__(self) -> str:
        return f"withdrawal of review {self.review_id} by {self.withdrawn_by_id}"


class ReviewClaim(models.Model):
    """A reviewer's claim on one of an open sample's slots, until it expires.

    A sample has one slot, or as many as its open queue wants reviews.
    """

    sample = models.ForeignKey(Sample, on_delete=models.CASCADE, related_name="claims", db_index=False)
    slot = models.PositiveSmallIntegerField(default=1)
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="claims")
    expires_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["sample", "slot"], name="one_claim_a_slot"),
            models.UniqueConstraint(fields=["sample", "reviewer"], name="one_claim_a_reviewer"),
        ]

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
