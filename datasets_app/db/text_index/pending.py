"""Texts that are stored and cannot be searched yet: only on PostgreSQL, which indexes many texts after they are stored.

SQLite indexes a text with the statement that stores it.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator

from django.db import connection

PORTION = 200  # texts per transaction: under a second, and no writer waits for longer
MOST_COUNTED = 1_000_000


def count(most: int = MOST_COUNTED) -> int:
    """Return how many texts are not indexed yet; `most` where there are more."""
    if connection.vendor != "postgresql":
        return 0
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM (SELECT FROM concur_text_pending LIMIT %s) AS few", [most])
        [(found,)] = cursor.fetchall()
    return int(found)


def batches() -> Iterator[list[uuid.UUID]]:
    """Yield ids of texts to index until none is left, those that come in meanwhile included."""
    while ids := some():
        yield ids


def some() -> list[uuid.UUID]:
    """Return the ids of a portion of texts, without those that another indexer is at."""
    if connection.vendor != "postgresql":
        return []
    with connection.cursor() as cursor:
        cursor.execute("SELECT id FROM concur_text_pending LIMIT %s FOR UPDATE SKIP LOCKED", [PORTION])
        return [pk for (pk,) in cursor.fetchall()]


def index(ids: list[uuid.UUID]) -> int:
    """Index these texts in one transaction, those of them that still wait. Return how many did."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT concur_index_texts(%s)", [ids])
        [(indexed,)] = cursor.fetchall()
    return int(indexed)
