"""What curators do with queues: create, change, open, top up, close."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max, Q
from django.utils import timezone

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.browse.query import BrowseError, BrowseFilter, parse_query
from datasets_app.maintenance.verdicts import decide_again
from datasets_app.models import Honeypot, QueueItem, ReviewQueue
from datasets_app.models.queue import LARGEST_QUEUE
from datasets_app.models.sample import SampleQuerySet
from datasets_app.review.honeypots.seed import with_honeypots
from datasets_app.review.queues.fields import QueueError, checked_fields
from datasets_app.review.queues.orders import in_order

MOST_MATCHES = 200_000  # samples that are put in order, of which LARGEST_QUEUE can be stored
BATCH = 500  # samples decided in one transaction
INSERTED = 2_000  # rows of one INSERT


@dataclass(frozen=True)
class Added:
    """Samples added to a queue."""

    added: int
    elsewhere: int  # matching samples left out because another open queue has them


@needs(Scope.CURATE)
def create_queue(actor: Actor, fields: Mapping[str, Any]) -> ReviewQueue:
    """Create a queue, not opened yet. Raises QueueError with a sentence per field."""
    columns, reviewers = checked_fields(fields)
    with transaction.atomic():
        queue = ReviewQueue(created_by=actor.user, may_name_reviewers=bool(reviewers), **columns)
        queue.decided_policy = queue.effective_policy
        save(queue)
        queue.reviewers.set(reviewers)
        audit.record(actor, "queue.create", queue, name=queue.name)
    return queue


@needs(Scope.CURATE)
def change_queue(
    queue: ReviewQueue, actor: Actor, fields: Mapping[str, Any], seen: int | None = None
) -> ReviewQueue:
    """Change a queue; a new policy decides its samples again. Raises QueueError with a sentence per field.

    `seen` is the version that the form was opened with: another curator's change since then is not overwritten.
    """
    columns, reviewers = checked_fields(fields, queue)
    with transaction.atomic():
        queue = locked(queue)
        if queue.closed_at:
            raise QueueError({"queue": "This queue is closed and does not change any more."})
        if seen is not None and seen != queue.version:
            raise QueueError(
                {"queue": "Somebody changed this queue since you opened the form. Compare, and save again."}
            )
        refuse_moves(queue, columns)
        for name, value in columns.items():
            setattr(queue, name, value)
        queue.version += 1
        queue.may_name_reviewers = bool(reviewers)
        save(queue)
        queue.reviewers.set(reviewers)
        audit.record(actor, "queue.change", queue, name=queue.name)
    apply_policy(queue, actor)
    return queue


def refuse_moves(queue: ReviewQueue, columns: Mapping[str, Any]) -> None:
    """Refuse a target below the samples that an open queue already has."""
    size = ordinary(queue)
    if columns["target"] is not None and columns["target"] < size:
        raise QueueError(
            {"target": f"The queue has {size} samples already: the target cannot be below that."}
        )


def save(queue: ReviewQueue) -> None:
    try:
        with transaction.atomic():
            queue.save()
    except IntegrityError as error:
        raise QueueError({"name": f"There is a queue named {queue.name!r} already."}) from error


def locked(queue: ReviewQueue) -> ReviewQueue:
    return ReviewQueue.objects.select_for_update().get(pk=queue.pk)


@needs(Scope.CURATE)
def open_queue(queue: ReviewQueue, actor: Actor) -> Added:
    """Store the samples that match now, in the queue's order, and open it. Raises QueueError if none do."""
    with transaction.atomic():
        queue = locked(queue)
        if queue.opened_at:
            raise QueueError({"queue": f"The queue is {queue.state} already."})
        added = add(queue)
        if not added.added:
            held = f" {added.elsewhere} match and are in another open queue." if added.elsewhere else ""
            raise QueueError({"query": f"No sample can be added: change the query.{held}"})
        queue.opened_at, queue.version = timezone.now(), queue.version + 1
        queue.decided_policy = ""  # its samples were decided by other policies before
        queue.save()
        audit.record(actor, "queue.open", queue, name=queue.name, samples=added.added)
    apply_policy(queue, actor)
    return added


@needs(Scope.CURATE)
def top_up(queue: ReviewQueue, actor: Actor) -> Added:
    """Add the samples that match by now, after those that the queue has."""
    with transaction.atomic():
        queue = locked(queue)
        if not queue.is_open:
            raise QueueError({"queue": f"The queue is {queue.state}: samples are added to an open one."})
        added = add(queue)
        if added.added:
            queue.decided_policy = ""
            queue.save(update_fields=["decided_policy"])
            audit.record(actor, "queue.top-up", queue, name=queue.name, samples=added.added)
    apply_policy(queue, actor)
    return added


@needs(Scope.CURATE)
def close_queue(queue: ReviewQueue, actor: Actor) -> None:
    """Close a queue: it offers no more samples and frees them for others. All reviews and its policy are kept."""
    with transaction.atomic():
        queue = locked(queue)
        if not queue.is_open:
            raise QueueError({"queue": f"The queue is {queue.state}: only an open one can be closed."})
        queue.items.update(is_open=False)
        queue.closed_at, queue.version = timezone.now(), queue.version + 1
        queue.save()
        audit.record(actor, "queue.close", queue, name=queue.name)
    apply_policy(queue, actor)


def matching(queue: ReviewQueue) -> SampleQuerySet:
    """Return the samples that the queue's query matches now; honeypots get into queues deliberately, not by it."""
    try:
        chosen = parse_query(queue.query) if queue.query else BrowseFilter()
    except BrowseError as error:
        raise QueueError({"query": " ".join(error.sentences)}) from error
    return chosen.queryset().exclude(pk__in=Honeypot.objects.order_by().values("pk"))


def new_ones(queue: ReviewQueue) -> tuple[SampleQuerySet, int]:
    """Return the matching samples that can be added, and the number of those that another open queue has."""
    held = QueueItem.objects.filter(Q(is_open=True) | Q(queue=queue)).order_by()
    others = QueueItem.objects.filter(is_open=True).exclude(queue=queue).order_by()
    found = matching(queue)
    elsewhere = found.filter(pk__in=others.values("sample")).count()
    return found.exclude(pk__in=held.values("sample")), elsewhere


def room(queue: ReviewQueue) -> int:
    return max(0, min(queue.target or LARGEST_QUEUE, LARGEST_QUEUE) - ordinary(queue))


def ordinary(queue: ReviewQueue) -> int:
    """Return the number of the queue's samples that are no honeypots."""
    return queue.items.filter(sample__honeypot__isnull=True).count()


def count_new(queue: ReviewQueue) -> int:
    """Return how many samples `top_up` would add now."""
    most = room(queue)
    return new_ones(queue)[0].order_by()[:most].count() if most else 0


def add(queue: ReviewQueue) -> Added:
    most = room(queue)
    samples, elsewhere = new_ones(queue)
    count = samples.order_by()[: MOST_MATCHES + 1].count()
    if count > MOST_MATCHES:
        raise QueueError(
            {
                "query": f"The query matches more than {MOST_MATCHES:,} samples, which is too many to put in order."
            }
        )
    if count > most and queue.target is None:
        raise QueueError(
            {
                "target": f"{count:,} samples match and a queue holds at most {LARGEST_QUEUE:,}: set a target, or "
                "narrow the query."
            }
        )
    ids = in_order(queue, samples, most)
    store(queue, with_honeypots(queue, ids))
    return Added(len(ids), elsewhere)


def store(queue: ReviewQueue, ids: Iterable[Any]) -> None:
    """Insert the items after those that the queue has."""
    last = queue.items.aggregate(last=Max("position"))["last"] or 0
    items = [QueueItem(queue=queue, sample_id=pk, position=at) for at, pk in enumerate(ids, last + 1)]
    try:
        with transaction.atomic():
            QueueItem.objects.bulk_create(items, batch_size=INSERTED)
    except IntegrityError as error:
        raise QueueError(
            {
                "queue": "Another queue took some of these samples at the same moment. Nothing was added: try again."
            }
        ) from error


def apply_policy(queue: ReviewQueue, actor: Actor) -> None:
    """Decide the queue's reviewed samples again if its policy is not what they were last decided by.

    In steps of bounded size, each a transaction: an interrupted run is completed by the next change of the queue.
    """
    policy = queue.effective_policy
    if queue.decided_policy == policy or not queue.opened_at:
        return
    done, last = 0, 0
    reviewed = queue.items.filter(sample__votes__gt=0).order_by("position")
    while rows := list(reviewed.filter(position__gt=last).values_list("position", "sample")[:BATCH]):
        done += decide_again([sample for _, sample in rows])
        last = rows[-1][0]
    with transaction.atomic():
        ReviewQueue.objects.filter(pk=queue.pk).update(decided_policy=policy)
        if done:
            audit.record(actor, "queue.decide", queue, name=queue.name, samples=done, policy=policy)
    queue.decided_policy = policy
