"""Sends the message that starts a job, after the transaction that wrote the job's row has been committed.

If the broker does not answer, the row stays queued and the sweeper sends its message later.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from celery import current_app
from django.db import transaction

from datasets_app.broker import BROKER_ERRORS, circuit

logger = logging.getLogger(__name__)
_suppressed: ContextVar[bool] = ContextVar("suppressed", default=False)


@contextmanager
def suppressed() -> Iterator[None]:
    """Send no messages inside: the caller runs the jobs itself."""
    token = _suppressed.set(True)
    try:
        yield
    finally:
        _suppressed.reset(token)


def enqueue(task: str, pk: object) -> None:
    """Send the message `task(pk)` after the commit."""
    if not _suppressed.get():
        transaction.on_commit(lambda: send(task, pk), robust=True)


def send(task: str, pk: object) -> None:
    """Send the message now; log it if the broker does not answer."""
    try:
        with circuit.attempt():
            current_app.send_task(task, args=[str(pk)], retry=False)
    except BROKER_ERRORS as error:
        logger.warning("%s(%s) stays queued: the broker does not answer (%s)", task, pk, error)
