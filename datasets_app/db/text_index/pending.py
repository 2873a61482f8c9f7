"""Stored texts that are not indexed yet: only on PostgreSQL, which indexes large batches after they are stored.

SQLite indexes a text in the statement that stores it.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator

from django.db import connection

PORTION = 200  # texts per transaction: under a second, and no writer waits for longer
MOST_COUNTED = 1_000_000
MOST_SHOWN = 20_000  # a search counts no further, so that it does not wait for the count of a large ingest


def count(most: int = MOST_COUNTED) -> int:
    """Return how many texts are not indexed yet, at most `most`."""
    if connection.vendor != "postgresql":
        return 0
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM (SELECT FROM concur_text_pending LIMIT %s) AS few", [most])
        [(waiting,)] = cursor.fetchall()
    return int(waiting)


def batches() -> Iterator[list[uuid.UUID]]:
    """Yield ids of texts to index until none is left, including those that are stored meanwhile."""
    while ids := some():
        yield ids


def some() -> list[uuid.UUID]:
    """Return the ids of a portion of texts, without those that another indexer has locked."""
    if connection.vendor != "postgresql":
        return []
    with connection.cursor() as cursor:
        cursor.execute("SELECT id FROM concur_text_pending LIMIT %s FOR UPDATE SKIP LOCKED", [PORTION])
        return [pk for (pk,) in cursor.fetchall()]


def index(ids: list[uuid.UUID]) -> int:
    """Index those of these texts that are still pending, in one transaction. Return how many."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT concur_index_texts(%s)", [ids])
        [(indexed,)] = cursor.fetchall()
    return int(indexed)
