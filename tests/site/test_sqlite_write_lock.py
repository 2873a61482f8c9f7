"""Tests that a continuous writer lets others write in between, in the order of their requests."""

import contextlib
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise

import pytest
from django.db import connection, transaction

from datasets_app.models import Source

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif("connection.vendor != 'sqlite'", reason="PostgreSQL has many writers"),
]
A_TRANSACTION_S = 0.05


@contextmanager
def somebody_writes_without_a_pause() -> Iterator[list[int]]:
    """Yield the list of the transactions stored so far."""
    stored: list[int] = []
    ended = threading.Event()

    def write():
        while not ended.is_set():
            with transaction.atomic():
                Source.objects.create(name=f"portion {len(stored)}")
                time.sleep(A_TRANSACTION_S)
            stored.append(len(stored))
        connection.close()

    thread = threading.Thread(target=write)
    thread.start()
    try:
        while not stored:
            time.sleep(0.01)
        yield stored
    finally:
        ended.set()
        thread.join()


@pytest.mark.parametrize("kind", ["in a transaction", "by itself"])
def test_a_writer_is_next_after_what_is_being_written(kind):
    waited = []
    with somebody_writes_without_a_pause() as stored:
        for number in range(8):
            before = len(stored)
            with transaction.atomic() if kind == "in a transaction" else connection.cursor():
                Source.objects.create(name=f"{kind} {number}")
                waited.append(len(stored) - before)
            time.sleep(A_TRANSACTION_S / 4)
    assert max(waited) <= 2  # the current one, and one whose end was not counted yet
    assert Source.objects.filter(name__startswith=kind).count() == 8


def test_a_transaction_that_fails_gives_its_turn_back():
    with contextlib.suppress(ZeroDivisionError), transaction.atomic():
        Source.objects.create(name="lost")
        _ = 1 / 0
    Source.objects.create(name="kept")
    assert list(Source.objects.filter(name__in=["lost", "kept"]).values_list("name", flat=True)) == ["kept"]


def test_reading_takes_no_turn():
    """Counted in transactions, not in seconds: 50 reads that needed the lock would see 50 of them end."""
    with somebody_writes_without_a_pause() as stored:
        before = [len(stored)]
        for _ in range(50):
            Source.objects.count()
            before.append(len(stored))
    assert any(now == then for then, now in pairwise(before))
