"""The review queue: who gets which sample next, and for how long it is theirs.

A sample is held by a claim, a row of its own that runs out by itself: it is renewed while somebody
works on the page, and nobody waits for a person who never comes back. Two requests at once get two
samples, because a claim is one UPDATE or one INSERT under a unique key.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Protocol

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from datasets_app import audit
from datasets_app.models import Assignment, Review, ReviewClaim, ReviewDraft, Sample
from datasets_app.querysets import SampleQuerySet
from datasets_app.roles import Scope, may

CLAIM_LASTS = timedelta(minutes=15)  # without a sign of life from the page
BATCH = (
    20  # candidates read at once; losing all of them to others takes as many reviewers in the same instant
)


class Filter(Protocol):
    """What chooses a queue: the browse page's filter."""

    def queryset(self) -> SampleQuerySet: ...


class ClaimedError(Exception):
    """Somebody else has the sample open: `claim` says who, and until when."""

    def __init__(self, claim: ReviewClaim) -> None:
        super().__init__(f"{claim.reviewer} is reviewing this sample.")
        self.claim = claim


@dataclass(frozen=True)
class Progress:
    """Where a reviewer stands in one queue."""

    total: int  # samples in the queue's filter
    unreviewed: int  # of these, nobody has judged
    mine: int  # of these, judged by this reviewer
    mine_today: int  # since midnight UTC, in any queue

    @property
    def waiting(self) -> int:
        return self.total - self.mine

    @property
    def position(self) -> int:
        return min(self.mine + 1, self.total)


def chosen_samples(chosen: Filter | None) -> SampleQuerySet:
    return Sample.objects.all() if chosen is None else chosen.queryset()


def claim(sample: Sample, reviewer: Any) -> ReviewClaim:
    """Hold the sample, or hold it longer. Raises ClaimedError while somebody else's claim lasts."""
    return claim_by_id(sample.pk, reviewer)


def claim_by_id(sample_id: Any, reviewer: Any) -> ReviewClaim:
    now = timezone.now()
    until = now + CLAIM_LASTS
    with transaction.atomic():
        free = ReviewClaim.objects.filter(Q(reviewer=reviewer) | Q(expires_at__lte=now), sample_id=sample_id)
        if free.update(reviewer=reviewer, expires_at=until):
            return ReviewClaim(sample_id=sample_id, reviewer=reviewer, expires_at=until)
        held, _ = ReviewClaim.objects.select_related("reviewer").get_or_create(
            sample_id=sample_id, defaults={"reviewer": reviewer, "expires_at": until}
        )
    if held.reviewer_id != reviewer.pk:
        raise ClaimedError(held)
    return held


def release_claim(sample: Sample, reviewer: Any) -> None:
    ReviewClaim.objects.filter(sample=sample, reviewer=reviewer).delete()


def live_claims() -> QuerySet[ReviewClaim]:
    """Who is reviewing what right now."""
    return ReviewClaim.objects.filter(expires_at__gt=timezone.now())


def skip(sample: Sample, reviewer: Any) -> None:
    """Set a sample aside: it comes last for this reviewer, others get it at once, and the draft stays."""
    with transaction.atomic():
        ReviewDraft.objects.update_or_create(
            sample=sample, reviewer=reviewer, defaults={"skipped_at": timezone.now()}
        )
        release_claim(sample, reviewer)
        audit.record(reviewer, "review.skip", sample)


def waiting_for(reviewer: Any, samples: SampleQuerySet) -> SampleQuerySet:
    """Of `samples`, those that this reviewer has not judged and nobody else has open."""
    judged = Review.objects.filter(sample=OuterRef("pk"), reviewer=reviewer)
    taken = live_claims().filter(sample=OuterRef("pk")).exclude(reviewer=reviewer)
    return samples.filter(~Exists(judged), ~Exists(taken))


def in_turn(reviewer: Any, samples: SampleQuerySet) -> Iterator[SampleQuerySet]:
    """Groups of candidates in the order in which they are handed out: what the reviewer has open already, what was
    assigned to the reviewer, what nobody has judged (oldest first), what others have judged (longest ago first),
    what the reviewer set aside."""
    aside = ReviewDraft.objects.filter(sample=OuterRef("pk"), reviewer=reviewer, skipped_at__isnull=False)
    fresh = samples.filter(~Exists(aside))
    yield fresh.filter(claim__reviewer=reviewer, claim__expires_at__gt=timezone.now()).order_by(
        "created_at", "id"
    )
    asked = Assignment.objects.filter(sample=OuterRef("pk"), reviewer=reviewer)
    yield fresh.filter(Exists(asked)).order_by("created_at", "id")
    yield fresh.unreviewed().order_by("created_at", "id")
    yield fresh.reviewed().order_by("reviewed_at", "id")
    skipped = samples.filter(drafts__reviewer=reviewer, drafts__skipped_at__isnull=False)
    yield skipped.order_by("drafts__skipped_at")


def next_sample(reviewer: Any, chosen: Filter | None = None) -> Sample | None:
    """Claim the next sample of the queue for this reviewer. None: nothing is left that is free."""
    if not may(reviewer, Scope.ANNOTATE):
        raise PermissionDenied("Reviewing needs the role annotator; ask an administrator for it.")
    for group in in_turn(reviewer, chosen_samples(chosen)):
        candidates = waiting_for(reviewer, group)
        while ids := list(candidates.values_list("pk", flat=True)[:BATCH]):
            if taken := first_claimed(ids, reviewer):
                return Sample.objects.for_list().get(pk=taken)
    return None


def first_claimed(ids: list[Any], reviewer: Any) -> Any | None:
    for sample_id in ids:
        try:
            return claim_by_id(sample_id, reviewer).sample_id
        except ClaimedError:
            continue  # somebody was faster: the one after it, then
    return None


def progress(reviewer: Any, chosen: Filter | None = None) -> Progress:
    """How many wait and how many are done, in one query for the queue and one for today."""
    judged = Review.objects.filter(sample=OuterRef("pk"), reviewer=reviewer)
    counts = Sample.objects.filter(pk__in=chosen_samples(chosen).order_by().values("pk")).aggregate(
        total=Count("pk"),
        unreviewed=Count("pk", filter=Q(verdict="")),
        mine=Count("pk", filter=Q(Exists(judged))),
    )
    midnight = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    today = Review.objects.filter(reviewer=reviewer, created_at__gte=midnight)
    return Progress(**counts, mine_today=today.aggregate(n=Count("sample", distinct=True))["n"])
