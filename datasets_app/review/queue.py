"""The review queue: a sample is handed to a reviewer, and is theirs for a while.

Whose turn it is is said in datasets_app.review.candidates.

A sample is held by a claim, a row of its own that runs out by itself: it is renewed while somebody
works on the page, and nobody waits for a person who never comes back. Two requests at once get two
samples, because a claim is one UPDATE or one INSERT under a unique key.
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
from datasets_app.review.candidates import Turns

CLAIM_LASTS = timedelta(minutes=15)  # without a sign of life from the page


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
    at_least: bool = False  # the filter matches more than was counted

    @property
    def waiting(self) -> int:
        return self.total - self.mine

    @property
    def position(self) -> int:
        return min(self.mine + 1, self.total)


@needs(Scope.ANNOTATE)
def claim(sample: Sample, actor: Actor) -> ReviewClaim:
    """Hold the sample, or hold it longer. Raises ClaimedError while somebody else's claim lasts."""
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
    """Set a sample aside: it comes last for this reviewer, others get it at once, and the draft stays."""
    with transaction.atomic():
        ReviewDraft.objects.update_or_create(
            sample=sample, reviewer=actor.person(), defaults={"skipped_at": timezone.now()}
        )
        release_claim(sample, actor)
        audit.record(actor, "review.skip", sample)


@needs(Scope.ANNOTATE)
def next_sample(actor: Actor, chosen: BrowseFilter | None = None) -> Sample | None:
    """Claim the next sample of the queue for this reviewer. None: nothing is left that is free."""
    reviewer, patient = actor.person(), False
    while True:
        turns = Turns.of(reviewer, chosen, patient=patient)
        ids = next(filter(None, turns.candidates()), [])
        if taken := first_claimed(ids, reviewer):
            return Sample.objects.for_list().get(pk=taken)
        if not ids and (patient or not turns.sets.cut_short):
            return None
        patient = not ids  # a search that was cut short may hide what is left


def first_claimed(ids: list[Any], reviewer: Any) -> Any | None:
    for sample_id in ids:
        try:
            return claim_by_id(sample_id, reviewer).sample_id
        except ClaimedError:
            continue  # somebody was faster: the one after it, then
    return None


def progress(reviewer: Any, chosen: BrowseFilter | None = None) -> Progress:
    """How many wait and how many are done."""
    turns = Turns.of(reviewer, chosen)
    counts = turns.counts()
    midnight = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    today = Review.objects.filter(reviewer=reviewer, created_at__gte=midnight)
    mine_today = today.aggregate(n=Count("sample", distinct=True))["n"]
    return Progress(**counts, mine_today=mine_today, at_least=turns.sets.cut_short)
