"""Wakes a site worker for a job row, once the transaction that wrote the row is through.

The row is the truth. If the broker does not answer, the row stays queued and the sweeper sends it later.
"""

import logging
import time
from collections.abc import Callable
from typing import Any

from celery import current_app
from django.conf import settings
from django.db import transaction
from kombu.exceptions import OperationalError

from datasets_app import jobs
from datasets_app.models import Job

logger = logging.getLogger(__name__)


def wake(task: str, pk: object) -> None:
    """Send the message `task(pk)` after the commit."""
    transaction.on_commit(lambda: send(task, pk))


def send(task: str, pk: object) -> None:
    try:
        current_app.send_task(task, args=[str(pk)], retry=False)
    except OperationalError as error:
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
            jobs.renew(self.row, **progress)


def run(row: Job | None, work: Callable[[Any], None], expected: tuple[type[Exception], ...]) -> None:
    """Do the work of a claimed row. An expected fault fails the row with its sentence; any other is raised as well."""
    if row is None:
        return
    try:
        work(row)
    except jobs.LeaseLostError as error:
        logger.warning("%s", error)
    except expected as error:
        jobs.fail(row, str(error))
    except Exception as error:
        jobs.fail(row, f"Something unforeseen: {error!r}. The worker's log has the details.")
        raise
