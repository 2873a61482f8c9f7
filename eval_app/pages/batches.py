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
from datasets_app.accounts.ownership import may_cancel_verification
from datasets_app.models import JobState, Verification
from eval_app.models import VerificationBatch
from eval_app.pages.pace import Pace, Work, duration_words
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
    """The unfinished rows of a batch for one kind of device and profile; `first` is None if none is queued."""

    work: Work
    count: int
    priority: int | None
    first: datetime | None


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
    ahead = rows_ahead(unfinished)
    pace = Pace.read()
    shown = []
    for row in rows:
        key: UUID = row.pop("batch")
        work = [(part.work, part.count) for part in unfinished[key]]
        left = time_left([*ahead[key], *work], fleet, pace)
        before_it = sum(count for _, count in ahead[key])
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
        "may_cancel": may_cancel_verification(actor, batch.requested_by_id),
    }


def time_left(work: list[tuple[Work, int]], fleet: Fleet, pace: Pace) -> timedelta | None:
    kinds = {kind for (kind, _), count in work if count}
    return pace.left(work) if kinds and not any(fleet.waits_for(kind) for kind in kinds) else None


def unfinished_of(ids: Sequence[UUID]) -> dict[UUID, list[Unfinished]]:
    rows = Verification.objects.unfinished().filter(batch__in=ids).order_by()
    queued = Q(state=JobState.QUEUED)
    groups: Any = rows.values("batch", "wanted_device", "profile").annotate(
        n=Count("pk"),
        first_priority=Min("priority", filter=queued),
        first_created=Min("created_at", filter=queued),
    )
    found: dict[UUID, list[Unfinished]] = defaultdict(list)
    for row in groups:
        work = row["wanted_device"], row["profile"]
        found[row["batch"]].append(Unfinished(work, row["n"], row["first_priority"], row["first_created"]))
    return found


def rows_ahead(unfinished: dict[UUID, list[Unfinished]]) -> dict[UUID, list[tuple[Work, int]]]:
    """Count the queued rows that are taken before each batch's first queued one; one query for all batches."""
    counts: dict[str, Any] = {}
    batches_by_name: dict[str, UUID] = {}
    for batch, parts in unfinished.items():
        for kind in sorted({part.work[0] for part in parts if part.first}):
            firsts = [(p.priority, p.first) for p in parts if p.first and p.work[0] == kind]
            name = f"ahead_{len(counts)}"
            counts[name] = Count("pk", filter=Q(wanted_device=kind) & before(*min(firsts)))
            batches_by_name[name] = batch
    found: dict[UUID, list[tuple[Work, int]]] = defaultdict(list)
    if not counts:
        return found
    queued: Any = Verification.runs.waiting().order_by().values("wanted_device", "profile")
    for row in queued.annotate(**counts):
        for name, batch in batches_by_name.items():
            if row[name]:
                found[batch].append(((row["wanted_device"], row["profile"]), row[name]))
    return found


def before(priority: int | None, moment: datetime | None) -> Q:
    """Return the condition of rows that are sent earlier than one of this priority and time."""
    return Q(priority__lt=priority) | Q(priority=priority, created_at__lt=moment)


def position_of(row: Verification) -> int:
    """Return a queued row's place among those for its kind of device, from 1."""
    queued = Verification.runs.waiting().filter(wanted_device=row.wanted_device)
    same = Q(priority=row.priority, created_at=row.created_at, pk__lt=row.pk)
    return 1 + queued.filter(before(row.priority, row.created_at) | same).count()
