"""The send window: at most WINDOW messages per kind of device are in the broker; all other queued rows are only rows.

A message carries the sources of its sample: a hundred thousand would take a gigabyte of the broker's memory. A
finished row makes room for the next, and so does the sweeper; cancelling what was not sent is one UPDATE.
"""

import uuid
from itertools import accumulate

from django.db.models import Count

from datasets_app.models import Priority, Verification
from datasets_app.models.verification import VerificationQuerySet

WINDOW = 200  # messages of a priority and those before it, per kind of device: minutes of work
REFILL = WINDOW // 2  # free places before a priority is refilled, so that not every report refills


def room(device: str) -> dict[Priority, int]:
    """Return how many messages of each priority may be sent; the number never grows from one priority to the next."""
    sent = Verification.runs.waiting().filter(wanted_device=device, sent_at__isnull=False)
    sent_counts = dict(sent.order_by().values_list("priority").annotate(n=Count("pk")))
    cumulative = accumulate(sent_counts.get(priority, 0) for priority in Priority)
    return {priority: WINDOW - count for priority, count in zip(Priority, cumulative, strict=True)}


def unsent(device: str) -> VerificationQuerySet:
    """Return the rows without a message, in the order in which they are sent."""
    waiting = Verification.runs.waiting().filter(wanted_device=device, sent_at=None)
    return waiting.order_by("priority", "created_at", "id")


def next_rows(device: str) -> list[uuid.UUID]:
    """Return the rows to send now, with two queries."""
    free = {priority: count for priority, count in room(device).items() if count >= REFILL}
    chosen: list[uuid.UUID] = []
    for pk, priority in unsent(device).filter(priority__in=free).values_list("pk", "priority")[:WINDOW]:
        if len(chosen) < free[Priority(priority)]:
            chosen.append(pk)
    return chosen


def at_once(ids: list[uuid.UUID]) -> list[uuid.UUID]:
    """Return those of a few new rows that the requester may send; rows of their priority precede the others."""
    rows = Verification.runs.waiting().filter(pk__in=ids, priority=Priority.FIRST, sent_at=None)
    by_device: dict[str, list[uuid.UUID]] = {}
    for pk, device in rows.order_by("created_at", "id").values_list("pk", "wanted_device"):
        by_device.setdefault(device, []).append(pk)
    return [
        pk for device, waiting in by_device.items() for pk in waiting[: max(0, room(device)[Priority.FIRST])]
    ]
