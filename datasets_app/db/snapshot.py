"""Reads that belong together, as of one moment, while others write.

SQLite's log of writes cannot begin anew as long as a snapshot is open: keep facts inside it and slow work outside.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import connection, connections

from datasets_app.jobs import job_row
from datasets_app.models import Job

BEGIN = {"postgresql": "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", "sqlite": "BEGIN DEFERRED"}


@contextmanager
def read_snapshot() -> Iterator[None]:
    """See the database inside as it is at the first read. Takes no lock that a writer waits for; nothing is written.

    Inside a transaction it changes nothing: that one decides what is seen.
    """
    if connection.in_atomic_block:
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute(BEGIN[connection.vendor])
        try:
            yield
        finally:
            cursor.execute("ROLLBACK")


@contextmanager
def renewed(row: Job) -> Iterator[None]:
    """Keep the row's lease from a thread, where the work inside may not write.

    A lease that was lost meanwhile shows at the next renewal outside.
    """
    ended = threading.Event()
    if connection.in_atomic_block:  # what another connection would not see
        yield
        return
    thread = threading.Thread(target=renew_until, args=(row, ended), name="lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def renew_until(row: Job, ended: threading.Event) -> None:
    try:
        while not ended.wait(settings.LEASE_SECONDS / 4):
            job_row.renew(row)
    except job_row.LeaseLostError:
        return
    finally:
        connections.close_all()
