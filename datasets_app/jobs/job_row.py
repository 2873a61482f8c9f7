"""The life of a background job's row: queued, claimed by one worker, renewed, finished, or handed on.

The row is the truth and the broker's message only a wake-up call. Whoever gets the message claims the
row with one UPDATE; a second message, a redelivery or a late worker finds it claimed and does nothing.
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
TRY_AGAIN_AFTER = timedelta(minutes=1)  # what found no room may write gigabytes before it finds none again
log = logging.getLogger(__name__)

# How the sweeper sends a waiting row's task again: each stage registers its models in AppConfig.ready().
RESENDERS: dict[type[Job], Callable[[object], None]] = {}

# What this process works on now, so that a process that is stopped can hand it back.
_held: dict[tuple[type[Job], object], Job] = {}


class LeaseLostError(Exception):
    """The row was handed to another worker, because this one was silent for longer than its lease."""


def lease_end():
    return timezone.now() + timedelta(seconds=settings.LEASE_SECONDS)


def claim(model: type[Row], pk: object) -> Row | None:
    """Take a queued row: it is running now, and ours until the lease ends. None if it was not waiting."""
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
    """Say that the work goes on, and how far it is. Raises LeaseLostError if the row is no longer ours."""
    update(row, lease_until=lease_end(), **progress)


def finish(row: Job, **results: object) -> None:
    _held.pop((type(row), row.pk), None)
    update(row, state=JobState.DONE, finished_at=timezone.now(), lease_until=None, error="", **results)


def fail(row: Job, error: str, **results: object) -> None:
    _held.pop((type(row), row.pk), None)
    update(row, state=JobState.FAILED, finished_at=timezone.now(), lease_until=None, error=error, **results)


def wait_for_room(row: Job, error: BaseException) -> None:
    """A disk is full: the row waits again and says why, and the attempt does not count.

    Where not even that can be stored, the row's lease ends and the sweeper hands it on.
    """
    _held.pop((type(row), row.pk), None)
    ours = type(row)._default_manager.filter(pk=row.pk, state=JobState.RUNNING, attempt=row.attempt)
    why = f"Waits for room. {disk_space.which_disk(error)}; it goes on by itself when there is some."
    try:
        ours.update(state=JobState.QUEUED, lease_until=None, attempt=row.attempt - 1, error=why)
    except DatabaseError as refused:
        if not disk_space.is_out_of_space(refused):
            raise
    log.warning("%s: %s", row, why)


def update(row: Row, **fields: object) -> None:
    ours = type(row)._default_manager.filter(pk=row.pk, state=JobState.RUNNING, attempt=row.attempt)
    if not ours.update(**fields):
        raise LeaseLostError(f"{row} was handed to another worker")
    for name, value in fields.items():
        setattr(row, name, value)


def requeue_expired(model: type[Row]) -> list[Row]:
    """Hand on what dead workers held. A row that killed its worker too often fails, and says so."""
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
    """The process that worked on this row has ended without a word: whether the row waits again.

    `counts`: the attempt does. A row that cost its process in every attempt fails, and says how.
    """
    ours = type(row)._default_manager.filter(pk=row.pk, state=JobState.RUNNING, attempt=row.attempt)
    if counts and row.attempt >= MAX_ATTEMPTS:
        error = f"It was given up after {MAX_ATTEMPTS} attempts: {why}"
        ours.update(state=JobState.FAILED, finished_at=timezone.now(), lease_until=None, error=error)
        return False
    attempt = row.attempt if counts else row.attempt - 1
    return bool(ours.update(state=JobState.QUEUED, lease_until=None, attempt=attempt))


def waiting_since(model: type[Row], moment: datetime) -> list[object]:
    """Rows that have waited since before `moment`: their message may be lost, or there was no room a minute ago."""
    waiting = model._default_manager.filter(state=JobState.QUEUED, created_at__lt=moment)
    tried_just_now = Q(started_at__gt=timezone.now() - TRY_AGAIN_AFTER) & ~Q(error="")
    waiting = waiting.exclude(tried_just_now)
    return list(waiting.order_by("created_at").values_list("pk", flat=True))


def give_back_held() -> int:
    """This process is about to end: what it works on waits again, and the attempt does not count."""
    given_back = 0
    for (model, pk), row in list(_held.items()):
        ours = model._default_manager.filter(pk=pk, state=JobState.RUNNING, attempt=row.attempt)
        given_back += ours.update(state=JobState.QUEUED, lease_until=None, attempt=row.attempt - 1)
    _held.clear()
    return given_back
