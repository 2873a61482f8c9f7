"""Wakes a site worker for a job row, once the transaction that wrote the row is through.

The row is the truth. If the broker does not answer, the row stays queued and the sweeper sends it later.
"""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from celery import current_app
from django.conf import settings
from django.db import transaction

from datasets_app.broker import BROKER_ERRORS, circuit
from datasets_app.disk_space import is_out_of_space
from datasets_app.jobs import job_row
from datasets_app.models import Job

logger = logging.getLogger(__name__)
_held: ContextVar[bool] = ContextVar("held", default=False)


@contextmanager
def held() -> Iterator[None]:
    """Send no messages inside: the caller does the work of the rows itself."""
    token = _held.set(True)
    try:
        yield
    finally:
        _held.reset(token)


def wake(task: str, pk: object) -> None:
    """Send the message `task(pk)` after the commit."""
    if not _held.get():
        transaction.on_commit(lambda: send(task, pk))


def send(task: str, pk: object) -> None:
    try:
        with circuit.attempt():
            current_app.send_task(task, args=[str(pk)], retry=False)
    except BROKER_ERRORS as error:
        logger.warning("%s(%s) waits in the database: the broker does not answer (%s)", task, pk, error)


class Beat:
    """Renews a row's lease from inside a loop, no oftener than is useful."""

    def __init__(self, row: Job) -> None:
        self.row = row
        self.every_seconds = settings.LEASE_SECONDS / 4
        self.last = time.monotonic()

    def __call__(self, **progress: object) -> None:
        """Raises LeaseLostError if the row is no longer ours."""
        if time.monotonic() - self.last > self.every_seconds:
            self.last = time.monotonic()
            job_row.renew(self.row, **progress)


def run(row: Job | None, work: Callable[[Any], None], expected: tuple[type[Exception], ...]) -> None:
    """Do the work of a claimed row. Return when it ended, whichever way.

    An expected fault fails the row with its sentence, any other is raised as well; on a full disk the row waits.
    """
    if row is None:
        return
    try:
        work(row)
    except job_row.LeaseLostError as error:
        logger.warning("%s", error)
    except MemoryError:
        job_row.fail(row, out_of_memory())
        raise
    except Exception as error:
        if is_out_of_space(error):
            job_row.wait_for_room(row, error)
        elif isinstance(error, expected):
            job_row.fail(row, str(error))
        else:
            job_row.fail(row, f"Something unforeseen: {error!r}. The worker's log has the details.")
            raise


def out_of_memory() -> str:
    megabytes = settings.JOB_MEMORY_BYTES // 2**20
    return f"The job needed more than {megabytes:,} MB of memory, the most that a job may take (CONCUR_JOB_MEMORY_MB)."
