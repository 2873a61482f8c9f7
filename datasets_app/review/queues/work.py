"""Work on a queue: the next sample for a reviewer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.db.models import Count, Exists, F, Func, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.models import (
    Assignment,
    QueueItem,
    Review,
    ReviewDraft,
    ReviewQueue,
    Sample,
    SampleWithdrawal,
)
from datasets_app.review.ahead import first_ahead
from datasets_app.review.candidates import BATCH, live_claims
from datasets_app.review.queue import Place, first_claimed
from datasets_app.review.queues.verbs import QueueError

MOST_TRIES = 20  # batches that others take entirely, one after the other


@needs(Scope.ANNOTATE)
def next_in_queue(queue: ReviewQueue, actor: Actor) -> Sample | None:
    """Claim the queue's next sample for this reviewer. Return None if none is free; raises QueueError."""
    reviewer = actor.person()
    require_work(queue, reviewer)
    for _ in range(MOST_TRIES):
        ids = next(filter(None, candidates(queue, reviewer)), [])
        if taken := first_claimed(ids, reviewer):
            return taken
        if not ids:
            break
    return None


@needs(Scope.ANNOTATE)
def ahead_in_queue(queue: ReviewQueue, here: Sample, actor: Actor) -> Sample | None:
    """Claim the queue's next sample beside `here` for a short time. Return None if none is free; raises QueueError."""
    reviewer = actor.person()
    require_work(queue, reviewer)
    return first_ahead(candidates(queue, reviewer), here, reviewer)


def require_work(queue: ReviewQueue, reviewer: Any) -> None:
    if not queue.is_open:
        raise QueueError({"queue": f"The queue {queue} is {queue.state}. Choose another queue."})
    if not queue.names(reviewer):
        raise QueueError(
            {
                "queue": f"The queue {queue} names its reviewers, and you are none of them. Ask a curator to add you."
            }
        )


def candidates(queue: ReviewQueue, reviewer: Any) -> Iterator[list[UUID]]:
    """Yield groups of samples: those that the reviewer has open, those assigned to them, then in the queue's order,
    at last those that the reviewer skipped.
    """
    free = with_room(queue, reviewer)
    skips = ReviewDraft.objects.filter(reviewer=reviewer, skipped_at__isnull=False).order_by()
    fresh = free.exclude(sample__in=skips.values("sample"))
    own: QuerySet[Any] = live_claims().filter(reviewer=reviewer).order_by()
    assigned: QuerySet[Any] = Assignment.objects.filter(reviewer=reviewer).order_by()
    rows = fresh.annotate(prefers=Exists(own) | Exists(assigned)).order_by("position")
    first = list(rows.values_list("sample", "prefers")[:BATCH])
    if any(
        prefers for _, prefers in first
    ):  # most reviewers have neither, and each query costs ten times as much
        yield first_ids(fresh.filter(sample__in=own.values("sample")))
        yield first_ids(fresh.filter(sample__in=assigned.values("sample")))
    yield [sample for sample, _ in first]
    last = skips.filter(sample=OuterRef("sample")).values("skipped_at")[:1]
    skipped = free.filter(sample__in=skips.values("sample")).annotate(skipped_at=Subquery(last))
    yield list(skipped.order_by("skipped_at", "position").values_list("sample", flat=True)[:BATCH])


def with_room(queue: ReviewQueue, reviewer: Any) -> QuerySet[QueueItem]:
    """Return the items that lack a review which this reviewer could write; `Slots` decides in the end."""
    return room_among(QueueItem.objects.filter(queue=queue), reviewer)


def room_among(items: QuerySet[QueueItem], reviewer: Any) -> QuerySet[QueueItem]:
    """Return those of the items that lack a review which this reviewer could write."""
    voted = Review.objects.votes().filter(sample=OuterRef("sample"), reviewer=reviewer).order_by()
    others = live_claims().filter(sample=OuterRef("sample")).exclude(reviewer=reviewer).order_by()
    counted = others.values("sample").annotate(n=Count("pk")).values("n")
    writing = Coalesce(Subquery(counted, output_field=IntegerField()), 0)
    overlap = F("queue__overlap")
    items = items.filter(sample__votes__lt=overlap, sample__withdrawn=False).annotate(
        taken=F("sample__votes") + writing
    )
    return items.filter(~Exists(voted), taken__lt=overlap)


def queues_with_work(reviewer: Any) -> QuerySet[ReviewQueue]:
    """Return the open queues that have a sample for this reviewer, the nearest deadline first."""
    free = room_among(QueueItem.objects.filter(queue=OuterRef("pk")), reviewer).order_by()
    mine = ReviewQueue.objects.for_reviewer(reviewer).filter(Exists(free))
    return mine.order_by(F("deadline").asc(nulls_last=True), "pk")


def first_ids(items: QuerySet[QueueItem]) -> list[UUID]:
    return list(items.order_by("position").values_list("sample", flat=True)[:BATCH])


def place_in(queue: ReviewQueue, reviewer: Any) -> Place:
    """Return where the reviewer is, as each review page shows it: by counts that do not grow with the queue's samples,
    but for that of an index. One query."""
    withdrawn = SampleWithdrawal.objects.in_force().filter(sample__queue_items__queue=queue)
    votes = Review.objects.votes().filter(
        reviewer=reviewer, sample__queue_items__queue=queue, sample__withdrawn=False
    )
    counts = ReviewQueue.objects.order_by().filter(pk=queue.pk)
    items, gone, mine = counts.values_list(
        number_of(QueueItem.objects.filter(queue=queue)), number_of(withdrawn), number_of(votes, "sample")
    ).get()
    return Place(total=items - gone, mine=mine)


def number_of(rows: QuerySet[Any], distinct: str = "") -> Subquery:
    """Return the number of rows, or of their distinct values, for use within another query."""
    count = Func(F(distinct or "pk"), function="COUNT", template="COUNT(DISTINCT %(expressions)s)")
    return Subquery(rows.order_by().annotate(n=count).values("n"), output_field=IntegerField())


def assigned_to(reviewer: Any) -> int:
    """Return the number of samples that are assigned to this reviewer and that they have not reviewed yet."""
    voted = Review.objects.votes().filter(sample=OuterRef("sample"), reviewer=reviewer).order_by()
    return Assignment.objects.filter(~Exists(voted), reviewer=reviewer).count()
