"""The life of a job's row: queued, claimed by one worker, renewed, finished, or requeued.

The row is the truth; the broker's message only starts a worker. A worker claims the row with one UPDATE; a second
message, a redelivery or a late worker finds it claimed and does nothing.
"""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TypeVar

from django.conf import settings
from django.db import DatabaseError
from django.db.models import Q
from django.utils import timezone

from datasets_app import disk_space
from datasets_app.models import Job, JobState

Row = TypeVar("Row", bound=Job)
MAX_ATTEMPTS = 3
TRY_AGAIN_AFTER = timedelta(minutes=1)  # a job may write gigabytes before it finds the disk full again
log = logging.getLogger(__name__)

# How the sweeper sends a queued row's message again; filled by the tasks modules.
RESENDERS: dict[type[Job], Callable[[object], None]] = {}

# The rows that this process works on, so that it can return them when it is stopped.
_held: dict[tuple[type[Job], object], Job] = {}


class LeaseLostError(Exception):
    """The row was given to another worker, because this one did not renew its lease in time."""


def lease_end():
    return timezone.now() + timedelta(seconds=settings.LEASE_SECONDS)


def claim(model: type[Row], pk: object) -> Row | None:
    """Claim a queued row for this process until its lease ends. Return None if it was not queued."""
    row = model._default_manager.filter(pk=pk, state=JobState.QUEUED).first()
    if row is None:
        return None
    changed = model._default_manager.filter(pk=pk, state=JobState.QUEUED, attempt=row.attempt).update(
        state=JobState.RUNNING,
        attempt=row.attempt + 1,
        lease_until=lease_end(),
        started_at=timezone.now(),
        error="",
    )
    if not changed:
        return None
    row.refresh_from_db()
    _held[type(row), row.pk] = row
    return row


def renew(row: Job, **progress: object) -> None:
    """Renew the lease and store progress. Raises LeaseLostError if the row belongs to another worker."""
    update(row, lease_until=lease_end(), **progress)


def finish(row: Job, **results: object) -> None:
    _held.pop((type(row), row.pk), None)
    update(row, state=JobState.DONE, finished_at=timezone.now(), lease_until=None, error="", **results)


def fail(row: Job, error: str, **results: object) -> None:
    _held.pop((type(row), row.pk), None)
    update(row, state=JobState.FAILED, finished_at=timezone.now(), lease_until=None, error=error, **results)


def wait_for_room(row: Job, error: BaseException) -> None:
    """Requeue a row whose work found a disk full, with the reason; the attempt does not count.

    If not even that can be stored, the lease expires and the sweeper requeues the row.
    """
    _held.pop((type(row), row.pk), None)
    ours = type(row)._default_manager.filter(pk=row.pk, state=JobState.RUNNING, attempt=row.attempt)
    why = f"Waiting for disk space. {disk_space.which_disk(error)}; the job continues by itself when there is some."
    try:
        ours.update(state=JobState.QUEUED, lease_until=None, attempt=row.attempt - 1, error=why)
    except DatabaseError as refused:
        if not disk_space.is_out_of_space(refused):
            raise
    log.warning("%s: %s", row, why)


def update(row: Row, **fields: object) -> None:
    ours = type(row)._default_manager.filter(pk=row.pk, state=JobState.RUNNING, attempt=row.attempt)
    if not ours.update(**fields):
        raise LeaseLostError(f"{row} was claimed by another worker")
    for name, value in fields.items():
        setattr(row, name, value)


def requeue_expired(model: type[Row]) -> list[Row]:
    """Requeue the rows of dead workers and return them. A row that was lost in every attempt fails with a reason."""
    now = timezone.now()
    expired = model._default_manager.filter(state=JobState.RUNNING, lease_until__lt=now)
    expired.filter(attempt__gte=MAX_ATTEMPTS).update(
        state=JobState.FAILED,
        finished_at=now,
        lease_until=None,
        error=f"The worker stopped answering in each of {MAX_ATTEMPTS} attempts; its log says why.",
    )
    rows = list(expired.filter(attempt__lt=MAX_ATTEMPTS))
    return [row for row in rows if back_to_queue(row)]


def back_to_queue(row: Job) -> bool:
    ours = type(row)._default_manager.filter(pk=row.pk, state=JobState.RUNNING, attempt=row.attempt)
    return bool(ours.filter(lease_until__lt=timezone.now()).update(state=JobState.QUEUED, lease_until=None))


def lost(row: Job, why: str, *, counts: bool = True) -> bool:
    """Requeue a row whose process ended without a result. Return whether it was requeued.

    `counts`: whether the attempt counts. A row that was lost in every attempt fails with a reason.
    """
    ours = type(row)._default_manager.filter(pk=row.pk, state=JobState.RUNNING, attempt=row.attempt)
    if counts and row.attempt >= MAX_ATTEMPTS:
        error = f"Given up after {MAX_ATTEMPTS} attempts: {why}"
        ours.update(state=JobState.FAILED, finished_at=timezone.now(), lease_until=None, error=error)
        return False
    attempt = row.attempt if counts else row.attempt - 1
    return bool(ours.update(state=JobState.QUEUED, lease_until=None, attempt=attempt))


def waiting_since(model: type[Row], moment: datetime) -> list[object]:
    """Return rows queued since before `moment`: their message may be lost, or the disk was full a minute ago."""
    waiting = model._default_manager.filter(state=JobState.QUEUED, created_at__lt=moment)
    tried_just_now = Q(started_at__gt=timezone.now() - TRY_AGAIN_AFTER) & ~Q(error="")
    waiting = waiting.exclude(tried_just_now)
    return list(waiting.order_by("created_at").values_list("pk", flat=True))


def give_back_held() -> int:
    """Requeue what this process works on, since it is about to end; the attempts do not count. Return how many."""
    given_back = 0
    for (model, pk), row in list(_held.items()):
        ours = model._default_manager.filter(pk=pk, state=JobState.RUNNING, attempt=row.attempt)
        given_back += ours.update(state=JobState.QUEUED, lease_until=None, attempt=row.attempt - 1)
    _held.clear()
    return given_back
