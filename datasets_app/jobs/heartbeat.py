"""Heartbeats: renew a row's lease while its work goes on, from inside a loop or from a thread."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import DatabaseError, connection, connections

from datasets_app.jobs import job_row
from datasets_app.models import Job

log = logging.getLogger(__name__)


def interval_seconds() -> float:
    return settings.LEASE_SECONDS / 4


class Heartbeat:
    """Call it in every round of a loop: it renews the lease when a quarter of it has passed."""

    def __init__(self, row: Job) -> None:
        self.row = row
        self.every_seconds = interval_seconds()
        self.last = time.monotonic()

    def __call__(self, **progress: object) -> None:
        """Renew the lease if it is due. Raises LeaseLostError if the row belongs to another worker now."""
        if time.monotonic() - self.last > self.every_seconds:
            self.last = time.monotonic()
            job_row.renew(self.row, **progress)


@contextmanager
def heartbeat_thread(row: Job) -> Iterator[None]:
    """Renew the row's lease from a thread, for work that may not write.

    Inside a transaction it does nothing, since no other connection would see the row. A lease that is lost meanwhile
    shows at the next renewal outside.
    """
    if connection.in_atomic_block:
        yield
        return
    ended = threading.Event()
    thread = threading.Thread(target=renew_until, args=(row, ended), name="heartbeat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def renew_until(row: Job, ended: threading.Event) -> None:
    """Renew the lease until the work has ended or the lease is lost. A fault of the database costs one renewal: the
    lease lasts for three more."""
    try:
        while not ended.wait(interval_seconds()):
            try:
                job_row.renew(row)
            except DatabaseError as error:
                log.warning("The lease of %s could not be renewed: %s", row, error)
                connections.close_all()
    except job_row.LeaseLostError:
        return
    finally:
        connections.close_all()
