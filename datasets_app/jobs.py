"""The life of a background job's row: queued, claimed by one worker, renewed, finished, or handed on.

The row is the truth and the broker's message only a wake-up call. Whoever gets the message claims the
row with one UPDATE; a second message, a redelivery or a late worker finds it claimed and does nothing.
"""

from datetime import timedelta
from typing import TypeVar

from django.conf import settings
from django.utils import timezone

from datasets_app.models import Job, JobState

Row = TypeVar("Row", bound=Job)
MAX_ATTEMPTS = 3


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
    return row


def renew(row: Job, **progress: object) -> None:
    """Say that the work goes on, and how far it is. Raises LeaseLostError if the row is no longer ours."""
    update(row, lease_until=lease_end(), **progress)


def finish(row: Job, **results: object) -> None:
    update(row, state=JobState.DONE, finished_at=timezone.now(), lease_until=None, error="", **results)


def fail(row: Job, error: str, **results: object) -> None:
    update(row, state=JobState.FAILED, finished_at=timezone.now(), lease_until=None, error=error, **results)


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
