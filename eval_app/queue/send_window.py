"""Chooses the rows that get a message now: at most WINDOW messages per priority are in the broker; other rows wait.

A message carries the sources of its sample: a hundred thousand at once are a gigabyte of the broker's memory. What
finishes makes room for the next, and so does the sweeper; taking back what was not sent is one UPDATE.
"""

import uuid
from itertools import accumulate

from django.db.models import Count

from datasets_app.models import Priority, Verification
from datasets_app.models.verification_queryset import VerificationQuerySet

WINDOW = 200  # messages of a priority and the higher ones, per kind of device: minutes of work for some GPUs
REFILL = WINDOW // 2  # free places from which a priority is refilled, so that not every report refills it


def room(device: str) -> dict[Priority, int]:
    """Return how many messages of each priority may be sent; a lower priority never has more than a higher one."""
    sent = Verification.objects.waiting().filter(wanted_device=device, sent_at__isnull=False)
    lying = dict(sent.order_by().values_list("priority").annotate(n=Count("pk")))
    ahead = accumulate(lying.get(priority, 0) for priority in Priority)
    return {priority: WINDOW - count for priority, count in zip(Priority, ahead, strict=True)}


def unsent(device: str) -> VerificationQuerySet:
    """In the order in which they go."""
    waiting = Verification.objects.waiting().filter(wanted_device=device, sent_at=None)
    return waiting.order_by("priority", "created_at", "id")


def next_rows(device: str) -> list[uuid.UUID]:
    """What is to be sent now; two queries."""
    free = {priority: count for priority, count in room(device).items() if count >= REFILL}
    chosen: list[uuid.UUID] = []
    for pk, priority in unsent(device).filter(priority__in=free).values_list("pk", "priority")[:WINDOW]:
        if len(chosen) < free[Priority(priority)]:
            chosen.append(pk)
    return chosen


def at_once(ids: list[uuid.UUID]) -> list[uuid.UUID]:
    """Return those of a few new rows that the requester may send; the others queue behind rows of their priority."""
    wishes = Verification.objects.waiting().filter(pk__in=ids, priority=Priority.FIRST, sent_at=None)
    by_device: dict[str, list[uuid.UUID]] = {}
    for pk, device in wishes.order_by("created_at", "id").values_list("pk", "wanted_device"):
        by_device.setdefault(device, []).append(pk)
    return [pk for device, found in by_device.items() for pk in found[: max(0, room(device)[Priority.FIRST])]]
