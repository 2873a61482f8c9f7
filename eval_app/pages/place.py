"""The place in the queue: how many rows are taken before one, as priorities and fair shares order them.

Rows of one route and priority are drawn from the people who requested them in turn (eval_app.queue.shares), so that of
another person's rows at most as many come first as of the same person's, and one more if that person waits longer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import BooleanField, Count, ExpressionWrapper, Min, Q

from datasets_app.models import Verification
from eval_app.pages.pace import Work


@dataclass(frozen=True)
class Spot:
    """A place in the queue: that of a batch's or a person's first row that is not taken yet."""

    device: str
    requirement: str
    priority: int
    requester: int | None
    moment: datetime | None  # None: a request that is not made yet, after all of the person's rows
    sent: bool = False
    before: Q = Q()  # noqa: RUF009  (which of the same person's rows come first)


def groups(spots: Sequence[Spot]) -> list[dict[str, Any]]:
    """Return the queued rows in groups that are ordered alike, with those before each spot counted; one query."""
    if not spots:
        return []
    is_sent = ExpressionWrapper(Q(sent_at__isnull=False), output_field=BooleanField())
    keys = ("wanted_device", "requirement", "priority", "requested_by", "profile", "is_sent")
    earlier: dict[str, Any] = {
        f"before_{number}": Count("pk", filter=spot.before) for number, spot in enumerate(spots)
    }
    rows: Any = Verification.runs.waiting().order_by().annotate(is_sent=is_sent).values(*keys)
    return list(rows.annotate(n=Count("pk"), first=Min("created_at"), **earlier))


def taken_before(
    queue: Sequence[Mapping[str, Any]], number: int, spot: Spot, share: int = 1
) -> list[tuple[Work, int]]:
    """Return what is taken before the `share`-th row from a spot on, without the rows that it counts itself."""
    taken: dict[Work, int] = defaultdict(int)
    others: dict[int | None, list[Mapping[str, Any]]] = defaultdict(list)
    own = 0
    for group in queue:
        if (group["wanted_device"], group["requirement"]) != (spot.device, spot.requirement):
            continue
        work, before = (spot.device, group["profile"]), group[f"before_{number}"]
        if group["priority"] < spot.priority:
            taken[work] += group["n"]
        elif group["priority"] > spot.priority:
            continue
        elif group["is_sent"]:
            taken[work] += before if spot.sent else group["n"]
        elif group["requested_by"] == spot.requester:
            taken[work] += before
            own += before
        elif not spot.sent:
            others[group["requested_by"]].append(group)
    for rows in others.values():
        add_share(taken, rows, own + share - (0 if is_older(rows, spot) else 1))
    return [(work, count) for work, count in taken.items() if count]


def is_older(rows: Sequence[Mapping[str, Any]], spot: Spot) -> bool:
    """Return whether a person's oldest row is older than the spot."""
    return spot.moment is None or min(row["first"] for row in rows) < spot.moment


def add_share(taken: dict[Work, int], rows: Sequence[Mapping[str, Any]], most: int) -> None:
    """Add at most that many rows of another person."""
    for row in rows:
        count = min(row["n"], most)
        taken[row["wanted_device"], row["profile"]] += count
        most -= count


def position_of(row: Verification) -> int:
    """Return a queued row's place among those of its route, from 1."""
    earlier = Q(created_at__lt=row.created_at) | Q(created_at=row.created_at, pk__lt=row.pk)
    spot = Spot(
        row.wanted_device,
        row.requirement,
        row.priority,
        row.requested_by_id,
        row.created_at,
        sent=row.sent_at is not None,
        before=earlier,
    )
    return 1 + sum(count for _, count in taken_before(groups([spot]), 0, spot))


def work_before(
    parts: Mapping[str, int], requirement: str, priority: int, requester: int | None
) -> list[tuple[Work, int]]:
    """Return what is taken before a new request of `parts`, rows per kind of device, is done; without its own."""
    spots = [Spot(kind, requirement, priority, requester, None) for kind in parts]
    queue = groups(spots)
    return [
        work
        for number, spot in enumerate(spots)
        for work in taken_before(queue, number, spot, share=parts[spot.device])
    ]
