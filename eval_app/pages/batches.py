"""Batches on the verify page: title, progress, place in the queue and time left, with a fixed number of queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Count, Min, Q

from datasets_app.accounts.actor import Actor
from datasets_app.accounts.ownership import may_withdraw
from datasets_app.models import JobState, Verification
from eval_app.models import VerificationBatch
from eval_app.pages.pace import Pace, Work, duration_words
from eval_app.pages.place import Spot, groups, taken_before
from eval_app.workers.fleet import Fleet

BATCHES_SHOWN = 5
COUNTS = {
    "total": Count("pk"),
    "finished": Count("pk", filter=Q(state__in=[JobState.DONE, JobState.FAILED])),
    "passed": Count("pk", filter=Q(outcome="passed")),
    "cancelled": Count("pk", filter=Q(state=JobState.FAILED)),
    "queued": Count("pk", filter=Q(state=JobState.QUEUED)),
}


@dataclass(frozen=True)
class Batch:
    """Verifications that were requested together. `ahead`: queued ones that are taken before its first queued one."""

    id: UUID
    title: str
    requested_by: str
    asked_at: datetime
    total: int
    finished: int
    passed: int
    cancelled: int
    queued: int
    ahead: int
    left: timedelta | None  # None: not measured, or no worker takes it
    may_cancel: bool

    @property
    def running(self) -> int:
        return self.total - self.finished - self.queued

    @property
    def left_words(self) -> str:
        return f"{duration_words(self.left)} left" if self.left is not None else ""


@dataclass(frozen=True)
class Unfinished:
    """The unfinished rows of a batch of one route and profile; `first` is None if none is queued."""

    work: Work
    requirement: str
    count: int
    queued: int
    priority: int | None
    first: datetime | None
    all_sent: bool

    @property
    def route(self) -> tuple[str, str]:
        return self.work[0], self.requirement


def under_way() -> list[UUID]:
    """Return the newest batches that are not finished."""
    unfinished = Verification.objects.unfinished().exclude(batch=None).order_by()
    newest: Any = unfinished.values("batch").annotate(asked_at=Min("created_at")).order_by("-asked_at")
    return list(newest.values_list("batch", flat=True)[:BATCHES_SHOWN])


def batches(ids: Sequence[UUID], fleet: Fleet, actor: Actor) -> list[Batch]:
    """Return these batches, the newest first; five queries."""
    counts = Verification.objects.filter(batch__in=ids).order_by().values("batch")
    rows: Any = list(counts.annotate(asked_at=Min("created_at"), **COUNTS).order_by("-asked_at"))
    stored = VerificationBatch.objects.select_related("requested_by").in_bulk(list(ids))
    unfinished = unfinished_of(ids)
    first, last = rows_ahead(unfinished, stored)
    pace = Pace.read()
    shown = []
    for row in rows:
        key: UUID = row.pop("batch")
        left = time_left(last[key], unfinished[key], fleet, pace)
        before_it = sum(count for _, count in first[key])
        shown.append(
            Batch(key, **named(stored.get(key), row["total"], actor), ahead=before_it, left=left, **row)
        )
    return shown


def named(batch: VerificationBatch | None, total: int, actor: Actor) -> dict[str, Any]:
    """Return what the batch's own row says; one that an earlier version requested has none."""
    if batch is None:
        return {"title": f"{total:,} samples", "requested_by": "", "may_cancel": False}
    return {
        "title": batch.title,
        "requested_by": batch.requested_by.get_username() if batch.requested_by else "",
        "may_cancel": may_withdraw(actor, batch.requested_by_id),
    }


def time_left(
    ahead: list[tuple[Work, int]], parts: list[Unfinished], fleet: Fleet, pace: Pace
) -> timedelta | None:
    if not parts or any(fleet.waits_for(*part.route) for part in parts):
        return None
    return pace.left([*ahead, *((part.work, part.count) for part in parts)])


def unfinished_of(ids: Sequence[UUID]) -> dict[UUID, list[Unfinished]]:
    rows = Verification.objects.unfinished().filter(batch__in=ids).order_by()
    queued = Q(state=JobState.QUEUED)
    unsent = Count("pk", filter=queued & Q(sent_at=None))
    found_rows: Any = rows.values("batch", "wanted_device", "profile", "requirement").annotate(
        n=Count("pk"),
        queued=Count("pk", filter=queued),
        unsent=unsent,
        first_priority=Min("priority", filter=queued),
        first_created=Min("created_at", filter=queued),
    )
    found: dict[UUID, list[Unfinished]] = defaultdict(list)
    for row in found_rows:
        work = row["wanted_device"], row["profile"]
        first = row["first_priority"], row["first_created"]
        part = Unfinished(work, row["requirement"], row["n"], row["queued"], *first, not row["unsent"])
        found[row["batch"]].append(part)
    return found


def rows_ahead(
    unfinished: dict[UUID, list[Unfinished]], stored: dict[UUID, VerificationBatch]
) -> tuple[dict[UUID, list[tuple[Work, int]]], dict[UUID, list[tuple[Work, int]]]]:
    """Return what is taken before each batch's first queued row, and before its last one; one query for all."""
    spots: list[Spot] = []
    meant: list[tuple[UUID, int]] = []
    for key, parts in unfinished.items():
        for route in sorted({part.route for part in parts if part.first}):
            mine = [part for part in parts if part.first and part.route == route]
            spots.append(spot_of(key, route, mine, stored.get(key)))
            meant.append((key, sum(part.queued for part in mine)))
    queue = groups(spots)
    first: dict[UUID, list[tuple[Work, int]]] = defaultdict(list)
    last: dict[UUID, list[tuple[Work, int]]] = defaultdict(list)
    for number, (spot, (key, share)) in enumerate(zip(spots, meant, strict=True)):
        first[key] += taken_before(queue, number, spot)
        last[key] += taken_before(queue, number, spot, share)
    return first, last


def spot_of(
    key: UUID, route: tuple[str, str], parts: list[Unfinished], batch: VerificationBatch | None
) -> Spot:
    priority, moment = min((part.priority or 0, part.first) for part in parts if part.first)
    requester = batch.requested_by_id if batch else None
    before = Q(created_at__lt=moment) & (~Q(batch=key) | Q(batch=None))
    return Spot(*route, priority, requester, moment, all(part.all_sent for part in parts), before)
