"""Routes: a kind of device and what a host must have besides, each with a queue of its own in the broker.

Most rows require only a kind of device and share its queue. The queue of a requirement is served by the hosts that
meet it, which learn its name from the site's answer to their announcements.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from datasets_app.models import Verification
from datasets_app.models.verification import VerificationQuerySet
from eval_app.broker.celery_app import message_list, verify_queue
from eval_app.models import Worker
from eval_app.workers.fleet import Fleet, meets

MOST_REQUIREMENTS = 50  # different ones that wait at once, per kind of device
MOST_REQUIREMENTS_OF_ONE = 10  # of one person


@dataclass(frozen=True)
class Route:
    """The rows of one kind of device and one requirement in its canonical form; empty: any host of the kind."""

    device: str
    requirement: str = ""

    @property
    def queue(self) -> str:
        """Return the name of its queue."""
        return verify_queue(self.device, self.requirement)

    def messages(self, priority: int) -> str:
        """Return the Redis key of its messages of a priority."""
        return message_list(self.device, priority, self.requirement)

    def waiting(self) -> VerificationQuerySet:
        """Return its queued rows."""
        return Verification.runs.waiting().filter(wanted_device=self.device, requirement=self.requirement)


def route_of(row: Verification) -> Route:
    return Route(row.wanted_device, row.requirement)


def routes(device: str) -> list[Route]:
    """Return the routes of a kind of device: the plain one, and one per requirement that waits."""
    return [Route(device), *(Route(device, text) for text in waiting_requirements(device))]


def routes_to_fill(device: str) -> list[Route]:
    """Return the routes whose rows are sent: rows whose requirement no worker meets stay rows."""
    plain, *special = routes(device)
    if not special:
        return [plain]
    fleet = Fleet.read()
    return [plain, *(route for route in special if fleet.takes(device, route.requirement))]


def queues_of(worker: Worker) -> list[str]:
    """Return the queues that a worker serves now; none while its host is held."""
    host = worker.host
    if host is None or host.hold:
        return []
    return [
        route.queue
        for device in host.kinds
        if device in worker.queues
        for route in routes(device)
        if meets(worker, device, route.requirement)
    ]


def waiting_requirements(device: str, requester: Any = None) -> list[str]:
    """Return the different requirements of queued rows, or of one person's, at most MOST_REQUIREMENTS; one seek in an
    index for each."""
    rows = Verification.runs.waiting().filter(wanted_device=device)
    if requester is not None:
        rows = rows.filter(requested_by=requester)
    found: list[str] = []
    for text in distinct(rows.exclude(requirement=""), "requirement"):
        found.append(text)
        if len(found) == MOST_REQUIREMENTS:
            break
    return found


def distinct(rows: VerificationQuerySet, field: str) -> Iterator[Any]:
    """Yield the different values of a field in their order, with one seek per value instead of a scan of all rows."""
    rows = rows.order_by(field)
    value = rows.values_list(field, flat=True).first()
    while value is not None:
        yield value
        value = rows.filter(**{f"{field}__gt": value}).values_list(field, flat=True).first()
