"""Reads that belong together, as of one moment, while others write.

SQLite's log of writes cannot begin anew as long as a snapshot is open: keep facts inside it and slow work outside.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

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
