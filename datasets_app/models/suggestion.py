from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.urls import reverse
from django.utils import timezone

from datasets_app.models.bounds import LONGEST_REASON
from datasets_app.models.note import NotedText
from datasets_app.models.note_label import NoteLabel
from datasets_app.models.review import Review
from datasets_app.models.sample import Sample, Verdict

LONGEST_MAKER = 80
LONGEST_VERSION = 40


class SuggestionSource(models.TextChoices):
    EVIDENCE = "evidence", "rule"  # a rule of this site, from stored evidence
    MODEL = "model"  # a program, by API


class SuggestionKind(models.TextChoices):
    VERDICT = "verdict"  # a verdict, scores, or both
    SPAN = "span", "span with a label"


class SuggestionQuerySet(models.QuerySet["Suggestion"]):
    def standing(self) -> SuggestionQuerySet:
        """Return the suggestions that their maker has not withdrawn."""
        return self.filter(withdrawn_at=None)

    def by_models(self) -> SuggestionQuerySet:
        return self.filter(source=SuggestionSource.MODEL)


class Suggestion(models.Model):
    """What a rule or a model would say about a sample. It is shown to reviewers, and changes nothing by itself.

    `basis` says what it rests on, so that new evidence makes a new suggestion and a repeated one is stored once:
    `verification:<id>`, `sample:<id>:<verdict>` or `trace:<start>-<end>:<digest>`; empty for a model's verdict.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    sample = models.ForeignKey(Sample, on_delete=models.PROTECT, related_name="suggestions", db_index=False)
    source = models.CharField(max_length=10, choices=SuggestionSource)
    maker = models.CharField(max_length=LONGEST_MAKER, help_text="name of the rule or of the model")
    version = models.CharField(max_length=LONGEST_VERSION)
    kind = models.CharField(max_length=10, choices=SuggestionKind)
    basis = models.CharField(max_length=120, blank=True)
    verdict = models.CharField(max_length=10, choices=Verdict, blank=True)
    scores = models.JSONField(default=dict, blank=True, help_text="by criterion")
    text = models.CharField(max_length=10, choices=NotedText, blank=True, help_text="of a span")
    start = models.PositiveIntegerField(null=True, blank=True, help_text="of a span, in code points")
    end = models.PositiveIntegerField(null=True, blank=True)
    digest = models.CharField(max_length=64, blank=True, help_text="SHA-256 of the text as UTF-8, in hex")
    label = models.CharField(max_length=20, choices=NoteLabel, blank=True)
    words = models.TextField(max_length=LONGEST_REASON, help_text="why")
    confidence = models.FloatField(null=True, blank=True, help_text="0 to 1, as its maker states it")
    posted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="suggestions",
        help_text="the account whose program sent it; empty: a rule of the site",
    )
    withdrawn_at = models.DateTimeField(null=True, blank=True, help_text="when its account took it back")
    created_at = models.DateTimeField(default=timezone.now)

    objects = SuggestionQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index(fields=["-created_at", "-id"], name="suggestion_newest"),
            models.Index(fields=["source", "maker", "version"], name="suggestion_of_maker"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["sample", "source", "maker", "version", "kind", "basis"], name="suggestion_once"
            ),
            models.CheckConstraint(
                name="suggestion_confidence_0_to_1",
                condition=Q(confidence__isnull=True) | Q(confidence__range=(0, 1)),
            ),
            models.CheckConstraint(
                name="suggestion_span_has_place",
                condition=(Q(kind="span", start__isnull=False, end__gt=F("start"), verdict="") & ~Q(label=""))
                | Q(kind="verdict", text="", start__isnull=True, end__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.verdict or self.label or 'scores'} of {self.sample_id} by {self.maker} {self.version}"

    @property
    def evidence_url(self) -> str:
        """Return the page of what it rests on; empty if that is the sample itself."""
        kind, _, rest = self.basis.partition(":")
        routes = {"verification": "verification", "sample": "sample"}
        return reverse(routes[kind], args=[rest.partition(":")[0]]) if kind in routes else ""

    def fields(self) -> dict[str, str]:
        """Return the fields of the review form that taking it fills."""
        scores = {name: str(score) for name, score in self.scores.items()}
        return {**({"verdict": self.verdict} if self.verdict else {}), **scores}


class SuggestionReply(models.TextChoices):
    TAKEN = "taken"
    DROPPED = "dropped"
    OVERRULED = "overruled"  # taken, and then another verdict was saved


class SuggestionAnswerQuerySet(models.QuerySet["SuggestionAnswer"]):
    def settle(self, review: Review) -> None:
        """Record whether a saved review agrees with the verdicts that were suggested to its reviewer."""
        mine = self.filter(
            reviewer_id=review.reviewer_id,
            suggestion__sample_id=review.sample_id,
            suggestion__kind=SuggestionKind.VERDICT,
        ).exclude(suggestion__verdict="")
        answers = list(mine.select_related("suggestion"))
        for answer in answers:
            answer.review = review
            answer.agreed = answer.suggestion.verdict == review.verdict
            if answer.reply in (SuggestionReply.TAKEN, SuggestionReply.OVERRULED):
                answer.reply = SuggestionReply.TAKEN if answer.agreed else SuggestionReply.OVERRULED
        if answers:
            SuggestionAnswer.objects.bulk_update(answers, ["review", "agreed", "reply"])


class SuggestionAnswer(models.Model):
    """That a suggestion was shown to a reviewer, what the reviewer did with it, and whether the review agrees."""

    suggestion = models.ForeignKey(
        Suggestion, on_delete=models.PROTECT, related_name="answers", db_index=False
    )
    reviewer = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="suggestion_answers"
    )
    shown_at = models.DateTimeField(default=timezone.now, help_text="first time")
    reply = models.CharField(
        max_length=10, choices=SuggestionReply, blank=True, help_text="empty: neither taken nor dropped"
    )
    answered_at = models.DateTimeField(null=True, blank=True)
    review = models.ForeignKey(
        Review,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="suggestion_answers",
        help_text="the reviewer's newest one since it was shown",
    )
    agreed = models.BooleanField(null=True, blank=True, help_text="whether that review has this verdict")

    objects = SuggestionAnswerQuerySet.as_manager()

    class Meta:
        ordering = ["-shown_at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["suggestion", "reviewer"], name="suggestion_answer_once"),
        ]

    def __str__(self) -> str:
        return f"{self.suggestion_id} {self.reply or 'shown'} by {self.reviewer_id}"
