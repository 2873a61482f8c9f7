"""Slots: how many people may review a sample at once, and in all if it is in an open queue.

In an open queue, the reviewers with a standing vote and those with a live claim are together never more than the
queue's overlap. A sample in no open queue has one slot at a time, and any number of votes. Every function here is
called with the sample's row locked.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone

from datasets_app.models import Review, ReviewClaim, ReviewQueue, Sample, SampleWithdrawal
from datasets_app.models.queue import open_queue_of
from datasets_app.review.seen import Judgements


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

    queue: ReviewQueue | None
    voters: frozenset[int]
    claims: list[ReviewClaim]  # live ones

    @classmethod
    def of(cls, sample_id: Any) -> Slots:
        """Read the slots, and delete the claims that have expired."""
        queue = open_queue_of(sample_id)
        votes = Review.objects.votes().filter(sample=sample_id).order_by() if queue else Review.objects.none()
        return cls(queue, frozenset(votes.values_list("reviewer", flat=True)), claims_on(sample_id))

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
        taken = self.voters | {claim.reviewer_id for claim in others}
        if reviewer.pk not in taken and len(taken) >= self.queue.overlap:
            raise NoSlotError(
                f"The queue {self.queue} wants {self.queue.overlap} review(s) of this sample, and they are stored or "
                "being written by others. Take another sample."
            )

    def take(self, sample_id: Any, reviewer: Any, until: datetime) -> ReviewClaim:
        """Store a claim on the lowest free slot. Raises as `refuse` does."""
        self.refuse(reviewer)
        used = {claim.slot for claim in self.claims}
        slot = next(number for number in range(1, len(used) + 2) if number not in used)
        return ReviewClaim.objects.create(sample_id=sample_id, reviewer=reviewer, slot=slot, expires_at=until)


def refuse_withdrawn(sample: Sample) -> None:
    """Raise NoSlotError if somebody has withdrawn the sample; no query for a sample in use."""
    if withdrawal := SampleWithdrawal.objects.hiding(sample):
        raise NoSlotError(f"{withdrawal.sentence} No review of it is stored. Take another sample.")


def claims_on(sample_id: Any) -> list[ReviewClaim]:
    """Return the live claims, and delete those that have expired."""
    claims = list(ReviewClaim.objects.filter(sample_id=sample_id).select_related("reviewer").order_by("slot"))
    now = timezone.now()
    if expired := [claim.pk for claim in claims if claim.expires_at <= now]:
        ReviewClaim.objects.filter(pk__in=expired).delete()
    return [claim for claim in claims if claim.expires_at > now]


def require_slot(judgements: Judgements, reviewer: Any) -> None:
    """Raise NoSlotError if a review by this person would be one more than the sample's open queue wants.

    Nothing is required of a sample in no queue: a claim keeps others from being offered it, not from reviewing it.
    """
    if judgements.queue:
        Slots(judgements.queue, judgements.voters, claims_on(judgements.sample.pk)).refuse(reviewer)
