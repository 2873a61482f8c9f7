"""The queue of all samples under a filter: samples are reserved for a reviewer for a while.

datasets_app.review.candidates determines their order.

A sample is reserved by a claim, a row that expires: the open page renews it, so that a person who leaves does not block
others. Two requests at once never get one slot: claims are made with the sample's row locked, under unique keys.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import DateTimeField, Value
from django.db.models.functions import Greatest
from django.utils import timezone

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.browse.query.filter import BrowseFilter
from datasets_app.models import ReviewClaim, ReviewDraft, ReviewSkip, Sample, SkipReason
from datasets_app.models.bounds import LONGEST_REASON
from datasets_app.models.queue import open_queue_of
from datasets_app.review.candidates import ReviewerQueue
from datasets_app.review.slots import ClaimedError, NoSlotError, Slots
from datasets_app.text_input.validate import prose_fault

CLAIM_LASTS = timedelta(minutes=15)  # since the page's last request, or up to UNWRITTEN less
UNWRITTEN = timedelta(seconds=30)


class SkipError(ValueError):
    """An unknown reason, or words that cannot be stored; the message says so."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a reviewer is in a queue."""

    total: int  # samples in the queue
    mine: int  # of these, reviewed by this reviewer
    at_least: bool = False  # the queue's filter matches more than were counted

    @property
    def waiting(self) -> int:
        return self.total - self.mine

    @property
    def position(self) -> int:
        return min(self.mine + 1, self.total)


@dataclass(frozen=True, kw_only=True)
class Progress(Place):
    """A reviewer's progress in the queue of a filter."""

    unreviewed: int  # samples without a review


@needs(Scope.ANNOTATE)
def claim(sample: Sample, actor: Actor) -> ReviewClaim:
    """Claim a slot of the sample, or renew the claim.

    Raises ClaimedError while somebody else's claim lasts, and NoSlotError if the sample's queue wants no more reviews.
    """
    return claim_by_id(sample.pk, actor.person())


def claim_by_id(sample_id: Any, reviewer: Any, lasts: timedelta = CLAIM_LASTS) -> ReviewClaim:
    """Claim a slot of the sample, or renew the claim without locking the sample."""
    now = timezone.now()
    own = ReviewClaim.objects.filter(sample_id=sample_id, reviewer=reviewer, expires_at__gt=now).first()
    if own and renewed(own, now + lasts):
        return own
    return claim_locked(sample_id, reviewer, now + lasts)


def claim_locked(sample_id: Any, reviewer: Any, until: datetime) -> ReviewClaim:
    """Claim a slot of the sample, or renew the claim, with the sample's row locked."""
    with transaction.atomic():
        slots = Slots.locked(sample_id)
        own = slots.claim_of(reviewer)
        return own if own and renewed(own, until) else slots.take(reviewer, until)


def renewed(own: ReviewClaim, until: datetime) -> bool:
    """Let the claim last until about then, and return whether it still exists.

    A longer one of another page is not shortened. One that lasts nearly as long is not written: pages ask often.
    """
    if own.expires_at >= until - UNWRITTEN:
        return True
    later = Greatest("expires_at", Value(until, output_field=DateTimeField()))
    return bool(ReviewClaim.objects.filter(pk=own.pk).update(expires_at=later))


@needs(Scope.ANNOTATE)
def release_claim(sample: Sample, actor: Actor) -> None:
    ReviewClaim.objects.filter(sample=sample, reviewer=actor.person()).delete()


@needs(Scope.ANNOTATE)
def skip(sample: Sample, actor: Actor, reason: str = "", words: str = "") -> None:
    """Skip a sample, with a reason if one is given: it comes last for this reviewer, is free for others at once, and
    the draft is kept. Raises SkipError.
    """
    reviewer, words = actor.person(), words.replace("\r\n", "\n").strip()
    if reason not in SkipReason.values:
        raise SkipError(f"A reason to skip is one of: {', '.join(filter(None, SkipReason.values))}.")
    if fault := prose_fault("The reason", words, LONGEST_REASON):
        raise SkipError(fault)
    with transaction.atomic():
        ReviewDraft.objects.update_or_create(
            sample=sample, reviewer=reviewer, defaults={"skipped_at": timezone.now()}
        )
        ReviewSkip.objects.create(
            sample=sample, reviewer=reviewer, queue=open_queue_of(sample.pk), reason=reason, words=words
        )
        release_claim(sample, actor)
        audit.record(actor, "review.skip", sample, reason=reason)


@needs(Scope.ANNOTATE)
def next_sample(actor: Actor, chosen: BrowseFilter | None = None) -> Sample | None:
    """Claim the next sample of the queue for this reviewer. Return None if none is free."""
    reviewer, patient = actor.person(), False
    while True:
        waiting = ReviewerQueue.of(reviewer, chosen, patient=patient)
        ids = next(filter(None, waiting.candidates()), [])
        if taken := first_claimed(ids, reviewer):
            return taken
        if not ids and (patient or not waiting.sets.cut_short):
            return None
        patient = not ids  # a search that was cut short may hide further samples


def first_claimed(ids: list[Any], reviewer: Any, lasts: timedelta = CLAIM_LASTS) -> Sample | None:
    """Claim the first of the samples that has a slot; it is returned without its texts and most of its columns."""
    for sample_id in ids:
        try:
            return claim_locked(sample_id, reviewer, timezone.now() + lasts).sample
        except (ClaimedError, NoSlotError):
            continue  # somebody else was faster
    return None


def progress(reviewer: Any, chosen: BrowseFilter | None = None) -> Progress:
    """Return how many are left and how many are done."""
    waiting = ReviewerQueue.of(reviewer, chosen)
    counts = waiting.counts()
    return Progress(**counts, at_least=waiting.sets.cut_short)
