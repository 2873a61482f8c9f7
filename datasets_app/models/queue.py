"""Review queues as data: which samples, in which order, how many reviews of each, by whom, under which policy."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Max, Q
from django.db.models.signals import m2m_changed
from django.dispatch import receiver
from django.urls import reverse
from django.utils import timezone

from datasets_app.models.append_only import AppendOnly
from datasets_app.models.bounds import LONGEST_QUERY, LONGEST_REASON, LONGEST_TEXT
from datasets_app.models.sample import Sample
from datasets_app.models.verdict_policy import VerdictPolicy, current_policy

LARGEST_OVERLAP = 9
LARGEST_QUEUE = 20_000  # samples
LONGEST_QUEUE_NAME = 80
MOST_HONEYPOTS_PERCENT = 50


class QueueOrder(models.TextChoices):
    """The order in which a queue's samples are put when they are added."""

    OLDEST = "oldest", "oldest first"
    RANDOM = "random", "random, by seed"
    UNCERTAIN = "uncertain", "most uncertain first"
    CLAIM = "claim", "highest claimed speedup first"
    DISAGREEMENT = "disagreement", "disagreement first"
    STRATIFIED = "stratified", "a facet's values in rotation"


class QueueFacet(models.TextChoices):
    """The facets by which a queue can be stratified; each is a column that every sample has."""

    LANGUAGE = "language"
    KIND = "kind", "task kind"
    GENERATOR = "generator"
    SOURCE = "source"
    SUITE = "suite"
    OUTCOME = "outcome"


class ReviewQueueQuerySet(models.QuerySet["ReviewQueue"]):
    def open(self) -> ReviewQueueQuerySet:
        return self.filter(opened_at__isnull=False, closed_at__isnull=True)

    def for_reviewer(self, reviewer: Any) -> ReviewQueueQuerySet:
        """Return the open queues that name this reviewer, or nobody."""
        named = ReviewQueue.reviewers.through.objects.order_by()
        mine = Q(pk__in=named.filter(user=reviewer).values("reviewqueue"))
        return self.open().filter(mine | ~Q(pk__in=named.values("reviewqueue")))


class ReviewQueue(models.Model):
    """A named queue. Its samples are the rows of QueueItem, stored when a curator opens it or adds to it."""

    name = models.CharField(max_length=LONGEST_QUEUE_NAME, unique=True)
    words = models.TextField(blank=True, max_length=LONGEST_TEXT, help_text="for its reviewers")
    query = models.TextField(
        blank=True, max_length=LONGEST_QUERY, help_text="a query line; empty: all samples"
    )
    order = models.CharField(max_length=12, choices=QueueOrder, default=QueueOrder.OLDEST)
    seed = models.PositiveIntegerField(default=0, help_text="of the random order")
    facet = models.CharField(max_length=12, choices=QueueFacet, blank=True, help_text="of the rotation")
    overlap = models.PositiveSmallIntegerField(
        default=1,
        validators=[MinValueValidator(1), MaxValueValidator(LARGEST_OVERLAP)],
        help_text="reviews wanted per sample, by different reviewers",
    )
    target = models.PositiveIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(LARGEST_QUEUE)],
        help_text="samples wanted; null: all that match",
    )
    deadline = models.DateField(null=True, blank=True)
    reviewers: Any = models.ManyToManyField(
        settings.AUTH_USER_MODEL, blank=True, related_name="review_queues", help_text="none: all annotators"
    )
    may_name_reviewers = models.BooleanField(
        default=True, editable=False, help_text="false: it names nobody, which spares reading the reviewers"
    )
    blind = models.BooleanField(
        default=True, help_text="reviewers see others' reviews of a sample after their own"
    )
    policy = models.CharField(
        max_length=12, choices=VerdictPolicy, blank=True, help_text="empty: the site's policy"
    )
    honeypot_percent = models.PositiveSmallIntegerField(
        default=0,
        validators=[MaxValueValidator(MOST_HONEYPOTS_PERCENT)],
        help_text="of its samples that are honeypots, beyond its target, as far as there are any",
    )
    decided_policy = models.CharField(
        max_length=12, blank=True, editable=False, help_text="that its samples were last decided by"
    )
    version = models.PositiveIntegerField(
        default=1, editable=False, help_text="increases with each change; an open form carries it"
    )
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    opened_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    objects = ReviewQueueQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            models.CheckConstraint(name="queue_overlap_1_to_9", condition=Q(overlap__range=(1, 9))),
            models.CheckConstraint(
                name="queue_closed_after_opened",
                condition=Q(closed_at__isnull=True) | Q(opened_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("review-queue", args=[self.pk])

    @property
    def is_open(self) -> bool:
        return self.opened_at is not None and self.closed_at is None

    @property
    def state(self) -> str:
        return "closed" if self.closed_at else "open" if self.opened_at else "not opened yet"

    @property
    def is_overdue(self) -> bool:
        return self.deadline is not None and self.deadline < timezone.now().date()

    @property
    def effective_policy(self) -> VerdictPolicy:
        return VerdictPolicy(self.policy) if self.policy else current_policy()

    def names(self, reviewer: Any) -> bool:
        """Return whether this reviewer may work on the queue: it names them, or nobody."""
        return not self.may_name_reviewers or not self.named or reviewer.pk in self.named

    @cached_property
    def named(self) -> frozenset[int]:
        """Return the ids of the reviewers that it names, without their rows."""
        rows = ReviewQueue.reviewers.through.objects.order_by().filter(reviewqueue=self.pk)
        return frozenset(rows.values_list("user", flat=True))


@receiver(m2m_changed, sender=ReviewQueue.reviewers.through)
def note_named_reviewers(instance: Any, action: str, reverse: bool, pk_set: set[int], **_: Any) -> None:
    """Keep `may_name_reviewers` true for every queue that names somebody, whichever side was changed."""
    if action == "post_add" and pk_set:
        queues = pk_set if reverse else [instance.pk]
        if not reverse:
            instance.may_name_reviewers = True
            instance.__dict__.pop("named", None)
        ReviewQueue.objects.filter(pk__in=queues, may_name_reviewers=False).update(may_name_reviewers=True)


class QueueItem(models.Model):
    """A sample's place in a queue. What is special about one place (such as a planted control) belongs here."""

    queue = models.ForeignKey(ReviewQueue, on_delete=models.CASCADE, related_name="items", db_index=False)
    sample = models.ForeignKey(Sample, on_delete=models.CASCADE, related_name="queue_items", db_index=False)
    position = models.PositiveIntegerField()
    is_open = models.BooleanField(default=True, help_text="its queue is open; repeated for a constraint")

    class Meta:
        ordering = ["queue", "position"]
        indexes = [models.Index(fields=["sample", "-id"], name="item_of_sample")]
        constraints = [
            models.UniqueConstraint(fields=["queue", "position"], name="one_item_a_position"),
            models.UniqueConstraint(fields=["queue", "sample"], name="one_item_a_sample"),
            models.UniqueConstraint(
                fields=["sample"], condition=Q(is_open=True), name="one_open_queue_a_sample"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.sample_id} at {self.position} of {self.queue_id}"


class SkipReason(models.TextChoices):
    LATER = "", "no reason given"
    UNSURE = "unsure", "I cannot judge it"
    TOO_LONG = "too_long", "too long for now"
    UNVERIFIED = "unverified", "lacks evidence"
    CONFLICT = "conflict", "I have an interest in it"
    OTHER = "other", "another reason"


class ReviewSkip(AppendOnly):
    """One time that a reviewer passed a sample over, with the reason if one was given. Append-only."""

    sample = models.ForeignKey(Sample, on_delete=models.PROTECT, related_name="skips")
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="skips")
    queue = models.ForeignKey(
        ReviewQueue, on_delete=models.SET_NULL, null=True, blank=True, related_name="skips"
    )
    reason = models.CharField(max_length=12, choices=SkipReason, blank=True)
    words = models.TextField(blank=True, max_length=LONGEST_REASON)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [models.Index(fields=["queue", "-created_at", "-id"], name="skip_of_queue")]

    def __str__(self) -> str:
        return f"{self.sample_id} skipped by {self.reviewer_id}"


@dataclass(frozen=True)
class QueueOfSample:
    """The open queue that holds a sample, if any, and the policy that decides the sample: that of its newest queue,
    open or closed, else the site's. While a sample is in an open queue, that one is its newest.
    """

    open: ReviewQueue | None
    policy: VerdictPolicy

    @classmethod
    def of(cls, sample_id: Any) -> QueueOfSample:
        """Read both in one query."""
        newest = QueueItem.objects.filter(sample=sample_id).select_related("queue").order_by("-pk")[:1]
        for item in newest:
            return cls(item.queue if item.is_open else None, item.queue.effective_policy)
        return cls(None, current_policy())


def open_queue_of(sample_id: Any) -> ReviewQueue | None:
    """Return the open queue that the sample is in; at most one holds it."""
    return QueueOfSample.of(sample_id).open


def policy_of(sample_id: Any) -> VerdictPolicy:
    return QueueOfSample.of(sample_id).policy


def policies_of(sample_ids: Iterable[UUID]) -> dict[UUID, VerdictPolicy]:
    """Return the policy per sample that is or was in a queue; one query. The others have the site's policy."""
    items = QueueItem.objects.filter(sample__in=list(sample_ids)).order_by()
    newest = items.values("sample").annotate(newest=Max("pk")).values("newest")
    rows = QueueItem.objects.filter(pk__in=newest).order_by().values_list("sample", "queue__policy")
    return {sample: VerdictPolicy(policy) if policy else current_policy() for sample, policy in rows}
