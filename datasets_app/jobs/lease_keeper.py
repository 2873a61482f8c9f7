"""Keeps the lease of a job's row from a thread of its own, for work that may not write."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import connection, connections

from datasets_app.jobs import job_row
from datasets_app.models import Job


@contextmanager
def lease_kept(row: Job) -> Iterator[None]:
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
