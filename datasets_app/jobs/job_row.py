"""The life of a job's row: queued, claimed by one worker, renewed, finished, or requeued.

The row is the truth; the broker's message only starts a worker. A worker claims the row with one UPDATE; a second
message, a redelivery or a late worker finds it claimed and does nothing.
"""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.conf import settings
from django.db import DatabaseError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from datasets_app import disk_space
from datasets_app.models import Job, JobState

Row = TypeVar("Row", bound=Job)
TRY_AGAIN_AFTER = timedelta(minutes=1)  # a job may write gigabytes before it finds the disk full again
log = logging.getLogger(__name__)

# How the sweeper sends a queued row's message again; filled by the tasks modules.
RESENDERS: dict[type[Job], Callable[[object], None]] = {}

# What is recorded about a failed row, in the transaction that fails it; filled by the stages with `on_failure`.
_recorders: dict[type[Job], Callable[[Any], None]] = {}

# The rows that this process works on, so that it can return them when it is stopped.
_held: dict[tuple[type[Job], object], Job] = {}


class LeaseLostError(Exception):
    """The row was given to another worker, because this one did not renew its lease in time."""


def lease_end():
    return timezone.now() + timedelta(seconds=settings.LEASE_SECONDS)


def claim(model: type[Row], pk: object) -> Row | None:
    """Claim a queued row for this process until its lease ends. Return None if it was not queued, or is not due."""
    waiting = model._default_manager.filter(model.due(), pk=pk, state=JobState.QUEUED)
    row = waiting.first()
    if row is None:
        return None
    changed = waiting.filter(attempt=row.attempt).update(
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
    with transaction.atomic():
        update(
            row, state=JobState.FAILED, finished_at=timezone.now(), lease_until=None, error=error, **results
        )
        record_failure(row)


def on_failure(model: type[Row]) -> Callable[[Callable[[Row], None]], Callable[[Row], None]]:
    """Make a function what is recorded about each row of `model` that fails, in the same transaction."""

    def decorate(recorder: Callable[[Row], None]) -> Callable[[Row], None]:
        _recorders[model] = recorder
        return recorder

    return decorate


def record_failure(row: Job) -> None:
    if recorder := _recorders.get(type(row)):
        recorder(row)


def postpone(row: Job, error: str, **fields: object) -> None:
    """Requeue a row whose work failed and may succeed later; `fields` say when it is due. The attempt counts."""
    _held.pop((type(row), row.pk), None)
    update(row, state=JobState.QUEUED, lease_until=None, error=error, **fields)


def wait_for_room(row: Job, error: BaseException) -> None:
    """Requeue a row whose work found a disk full, with the reason; the attempt does not count.

    If not even that can be stored, the lease expires and the sweeper requeues the row.
    """
    _held.pop((type(row), row.pk), None)
    why = f"Waiting for disk space. {disk_space.which_disk(error)}; the job continues by itself when there is some."
    try:
        running(row).update(state=JobState.QUEUED, lease_until=None, attempt=row.attempt - 1, error=why)
    except DatabaseError as refused:
        if not disk_space.is_out_of_space(refused):
            raise
    log.warning("%s: %s", row, why)


def update(row: Row, **fields: object) -> None:
    if not running(row).update(**fields):
        raise LeaseLostError(f"{row} was claimed by another worker")
    for name, value in fields.items():
        setattr(row, name, value)


def requeue_expired(model: type[Row]) -> list[Row]:
    """Requeue the rows of dead workers and return them. A row that was lost in every attempt fails with a reason."""
    now = timezone.now()
    expired = model._default_manager.filter(state=JobState.RUNNING, lease_until__lt=now)
    why = f"The worker stopped answering in each of {model.MAX_ATTEMPTS} attempts; its log says why."
    for row in expired.filter(attempt__gte=model.MAX_ATTEMPTS):
        give_up(row, why, still_expired(row))
    rows = list(expired.filter(attempt__lt=model.MAX_ATTEMPTS))
    return [row for row in rows if still_expired(row).update(state=JobState.QUEUED, lease_until=None)]


def still_expired(row: Job) -> QuerySet[Any]:
    return running(row).filter(lease_until__lt=timezone.now())


def running(row: Job) -> QuerySet[Any]:
    """Return the row itself, unless another worker or nobody works on it now."""
    return type(row)._default_manager.filter(pk=row.pk, state=JobState.RUNNING, attempt=row.attempt)


def give_up(row: Job, why: str, rows: QuerySet[Any]) -> None:
    """Fail the row of a dead worker, if it is still in `rows`."""
    with transaction.atomic():
        if rows.update(state=JobState.FAILED, finished_at=timezone.now(), lease_until=None, error=why):
            row.refresh_from_db()
            record_failure(row)


def lost(row: Job, why: str, *, counts: bool = True) -> bool:
    """Requeue a row whose process ended without a result. Return whether it was requeued.

    `counts`: whether the attempt counts. A row that was lost in every attempt fails with a reason.
    """
    if counts and row.attempt >= row.MAX_ATTEMPTS:
        give_up(row, f"Given up after {row.MAX_ATTEMPTS} attempts: {why}", running(row))
        return False
    attempt = row.attempt if counts else row.attempt - 1
    return bool(running(row).update(state=JobState.QUEUED, lease_until=None, attempt=attempt))


def waiting_since(model: type[Row], moment: datetime) -> list[object]:
    """Return due rows, queued since before `moment`: their message may be lost, or the disk was full a minute ago."""
    waiting = model._default_manager.filter(model.due(), state=JobState.QUEUED, created_at__lt=moment)
    tried_just_now = Q(started_at__gt=timezone.now() - TRY_AGAIN_AFTER) & ~Q(error="")
    waiting = waiting.exclude(tried_just_now)
    return list(waiting.order_by("created_at").values_list("pk", flat=True))


def give_back_held() -> int:
    """Requeue what this process works on, since it is about to end; the attempts do not count. Return how many."""
    given_back = 0
    for row in list(_held.values()):
        given_back += running(row).update(state=JobState.QUEUED, lease_until=None, attempt=row.attempt - 1)
    _held.clear()
    return given_back
