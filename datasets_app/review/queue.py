"""The review queue: samples are reserved for a reviewer for a while.

datasets_app.review.candidates determines their order.

A sample is reserved by a claim, a row that expires: the open page renews it, so that a person who leaves does not block
others. Two requests at once get two samples, because a claim is one UPDATE or one INSERT under a unique key.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Count, Q
from django.utils import timezone

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.browse.query.filter import BrowseFilter
from datasets_app.models import Review, ReviewClaim, ReviewDraft, Sample
from datasets_app.review.candidates import ReviewerQueue

CLAIM_LASTS = timedelta(minutes=15)  # since the page's last request


class ClaimedError(Exception):
    """Somebody else has the sample open: `claim` tells who, and until when."""

    def __init__(self, claim: ReviewClaim) -> None:
        super().__init__(f"{claim.reviewer} is reviewing this sample.")
        self.claim = claim


@dataclass(frozen=True)
class Progress:
    """A reviewer's progress in one queue."""

    total: int  # samples in the queue's filter
    unreviewed: int  # of these, without a review
    mine: int  # of these, reviewed by this reviewer
    mine_today: int  # since midnight UTC, in any queue
    at_least: bool = False  # the filter matches more than were counted

    @property
    def waiting(self) -> int:
        return self.total - self.mine

    @property
    def position(self) -> int:
        return min(self.mine + 1, self.total)


@needs(Scope.ANNOTATE)
def claim(sample: Sample, actor: Actor) -> ReviewClaim:
    """Claim the sample, or renew the claim. Raises ClaimedError while somebody else's claim lasts."""
    return claim_by_id(sample.pk, actor.person())


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


@needs(Scope.ANNOTATE)
def release_claim(sample: Sample, actor: Actor) -> None:
    ReviewClaim.objects.filter(sample=sample, reviewer=actor.person()).delete()


@needs(Scope.ANNOTATE)
def skip(sample: Sample, actor: Actor) -> None:
    """Skip a sample: it comes last for this reviewer, is free for others at once, and the draft is kept."""
    with transaction.atomic():
        ReviewDraft.objects.update_or_create(
            sample=sample, reviewer=actor.person(), defaults={"skipped_at": timezone.now()}
        )
        release_claim(sample, actor)
        audit.record(actor, "review.skip", sample)


@needs(Scope.ANNOTATE)
def next_sample(actor: Actor, chosen: BrowseFilter | None = None) -> Sample | None:
    """Claim the next sample of the queue for this reviewer. Return None if none is free."""
    reviewer, patient = actor.person(), False
    while True:
        waiting = ReviewerQueue.of(reviewer, chosen, patient=patient)
        ids = next(filter(None, waiting.candidates()), [])
        if taken := first_claimed(ids, reviewer):
            return Sample.objects.for_list().get(pk=taken)
        if not ids and (patient or not waiting.sets.cut_short):
            return None
        patient = not ids  # a search that was cut short may hide further samples


def first_claimed(ids: list[Any], reviewer: Any) -> Any | None:
    for sample_id in ids:
        try:
            return claim_by_id(sample_id, reviewer).sample_id
        except ClaimedError:
            continue  # somebody else was faster
    return None


def progress(reviewer: Any, chosen: BrowseFilter | None = None) -> Progress:
    """Return how many are left and how many are done."""
    waiting = ReviewerQueue.of(reviewer, chosen)
    counts = waiting.counts()
    midnight = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    today = Review.objects.filter(reviewer=reviewer, created_at__gte=midnight)
    mine_today = today.aggregate(n=Count("sample", distinct=True))["n"]
    return Progress(**counts, mine_today=mine_today, at_least=waiting.sets.cut_short)
