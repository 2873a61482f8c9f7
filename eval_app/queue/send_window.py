"""The send window: at most WINDOW messages per route are in the broker; all other queued rows are only rows.

A message carries the sources of its sample: a hundred thousand would take a gigabyte of the broker's memory. A
finished row makes room for the next, and so does the sweeper; cancelling what was not sent is one UPDATE.
"""

import uuid
from itertools import accumulate

from django.db.models import Count

from datasets_app.models import Priority, Verification
from datasets_app.models.verification import VerificationQuerySet
from eval_app.queue.routes import Route, distinct
from eval_app.queue.shares import drawn
from eval_app.workers.fleet import Fleet

WINDOW = 200  # messages of a priority and those before it, per route: minutes of work
REFILL = WINDOW // 2  # free places before a priority is refilled, so that not every report refills


def room(route: Route) -> dict[Priority, int]:
    """Return how many messages of each priority may be sent; the number never grows from one priority to the next."""
    sent = route.waiting().filter(sent_at__isnull=False)
    sent_counts = dict(sent.order_by().values_list("priority").annotate(n=Count("pk")))
    cumulative = accumulate(sent_counts.get(priority, 0) for priority in Priority)
    return {priority: WINDOW - count for priority, count in zip(Priority, cumulative, strict=True)}


def unsent(route: Route) -> VerificationQuerySet:
    """Return the rows without a message."""
    return route.waiting().filter(sent_at=None)


def next_rows(route: Route) -> list[uuid.UUID]:
    """Return the rows to send now, in their order: by priority, and within one by fair shares."""
    free = {priority: count for priority, count in room(route).items() if count >= REFILL}
    chosen: list[uuid.UUID] = []
    for priority in distinct(unsent(route), "priority") if free else ():
        if free.get(priority, 0) > len(chosen):
            chosen += drawn(unsent(route).filter(priority=priority), free[priority] - len(chosen))
    return chosen


def at_once(ids: list[uuid.UUID]) -> list[uuid.UUID]:
    """Return those of a few new rows that the requester may send; rows of their priority precede the others."""
    rows = Verification.runs.waiting().filter(pk__in=ids, priority=Priority.FIRST, sent_at=None)
    by_route: dict[Route, list[uuid.UUID]] = {}
    for pk, *route in rows.order_by("created_at", "id").values_list("pk", "wanted_device", "requirement"):
        by_route.setdefault(Route(*route), []).append(pk)
    if any(route.requirement for route in by_route):
        fleet = Fleet.read()
        by_route = {
            route: pks
            for route, pks in by_route.items()
            if not route.requirement or fleet.takes(route.device, route.requirement)
        }
    return [pk for route, pks in by_route.items() for pk in pks[: max(0, room(route)[Priority.FIRST])]]
