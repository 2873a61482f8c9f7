"""Slots: how many people may review a sample at once, and in all if it is in an open queue.

In an open queue, the reviewers with a standing vote and those with a live claim are together never more than the
queue's overlap. A sample in no open queue has one slot at a time, and any number of votes. Every function here is
called with the sample's row locked.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from django.utils import timezone

from datasets_app.models import QueueItem, Review, ReviewClaim, ReviewQueue, Sample, SampleWithdrawal
from datasets_app.review.seen import Judgements

READ = ("withdrawn", "votes")  # columns of a sample that slots depend on


class ClaimedError(Exception):
    """Somebody else has the sample open: `claim` tells who, and until when."""

    def __init__(self, claim: ReviewClaim) -> None:
        super().__init__(f"{claim.reviewer} is reviewing this sample.")
        self.claim = claim


class NoSlotError(Exception):
    """The sample's queue wants no review by this person; the message says why, and what to do."""


@dataclass(frozen=True)
class Slots:
    """The slots of one sample at one moment."""

    sample: Sample
    queue: ReviewQueue | None
    claims: list[ReviewClaim]  # live ones

    @classmethod
    def locked(cls, sample_id: Any) -> Slots:
        """Lock the sample's row, read the slots, and delete the claims that have expired. Raises NoSlotError for a
        withdrawn sample.

        The queue may be as it was just before the lock: a claim under a queue that changes at the same moment counts
        as one made before the change.
        """
        rows = QueueItem.objects.filter(sample=sample_id, is_open=True).select_related("sample", "queue")
        rows = rows.select_for_update(no_key=True, of=("sample",)).order_by()
        item = rows.only("queue", *(f"sample__{name}" for name in READ)).first()
        if item is None:
            sample, queue = Sample.objects.select_for_update(no_key=True).only(*READ).get(pk=sample_id), None
        else:
            sample, queue = item.sample, item.queue
        refuse_withdrawn(sample)
        return cls(sample, queue, claims_on(sample_id))

    @cached_property
    def voters(self) -> frozenset[int]:
        votes = Review.objects.votes().filter(sample=self.sample).order_by()
        return frozenset(votes.values_list("reviewer", flat=True))

    def claim_of(self, reviewer: Any) -> ReviewClaim | None:
        return next((claim for claim in self.claims if claim.reviewer_id == reviewer.pk), None)

    def refuse(self, reviewer: Any) -> None:
        """Raise ClaimedError or NoSlotError if there is no slot for this reviewer."""
        others = [claim for claim in self.claims if claim.reviewer_id != reviewer.pk]
        if self.queue is None:
            if others:
                raise ClaimedError(others[0])
            return
        if not self.queue.names(reviewer):
            raise NoSlotError(
                f"This sample is in the queue {self.queue}, which names its reviewers, and you are none of them. "
                "Ask a curator to add you, or take another sample."
            )
        if self.sample.votes + len(others) < self.queue.overlap:
            return  # even if none of the voters holds a claim: they need not be read
        taken = self.voters | {claim.reviewer_id for claim in others}
        if reviewer.pk not in taken and len(taken) >= self.queue.overlap:
            raise NoSlotError(
                f"The queue {self.queue} wants {self.queue.overlap} review(s) of this sample, and they are stored or "
                "being written by others. Take another sample."
            )

    def take(self, reviewer: Any, until: datetime) -> ReviewClaim:
        """Store a claim on the lowest free slot. Raises as `refuse` does."""
        self.refuse(reviewer)
        used = {claim.slot for claim in self.claims}
        slot = next(number for number in range(1, len(used) + 2) if number not in used)
        return ReviewClaim.objects.create(sample=self.sample, reviewer=reviewer, slot=slot, expires_at=until)


def refuse_withdrawn(sample: Sample) -> None:
    """Raise NoSlotError if somebody has withdrawn the sample; no query for a sample in use."""
    if withdrawal := SampleWithdrawal.objects.hiding(sample):
        raise NoSlotError(f"{withdrawal.sentence} No review of it is stored. Take another sample.")


def claims_on(sample_id: Any) -> list[ReviewClaim]:
    """Return the live claims, and delete those that have expired."""
    claims = list(ReviewClaim.objects.filter(sample_id=sample_id).order_by("slot"))
    now = timezone.now()
    if expired := [claim.pk for claim in claims if claim.expires_at <= now]:
        ReviewClaim.objects.filter(pk__in=expired).delete()
    return [claim for claim in claims if claim.expires_at > now]


def require_slot(judgements: Judgements, reviewer: Any) -> None:
    """Raise NoSlotError if a review by this person would be one more than the sample's open queue wants.

    Nothing is required of a sample in no queue: a claim keeps others from being offered it, not from reviewing it.
    """
    if judgements.queue:
        Slots(judgements.sample, judgements.queue, claims_on(judgements.sample.pk)).refuse(reviewer)
