"""Consistent reads of one moment while others write.

SQLite cannot restart its write-ahead log while a snapshot is open: read facts inside it and do slow work outside.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

BEGIN = {"postgresql": "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", "sqlite": "BEGIN DEFERRED"}


@contextmanager
def read_snapshot() -> Iterator[None]:
    """Read the database inside as it is at the first read. Takes no lock that blocks writers; nothing may be written.

    Inside a transaction it does nothing: that transaction decides what is visible.
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
