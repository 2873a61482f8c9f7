"""Tests of reports for one sample that are stored at the same time."""

import threading
from uuid import UUID

import pytest
from django.db import connection, transaction

from datasets_app.evidence.record import refresh
from datasets_app.models import Evidence, Sample
from tests.factories import make_sample
from tests.verifications import H200, L40, finished

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        "connection.vendor != 'postgresql'", reason="SQLite lets one transaction write at a time"
    ),
]
WAITING = "SELECT count(*) FROM pg_locks WHERE NOT granted"


def store(pk: UUID, outcome: str, device: str, days: int) -> None:
    with transaction.atomic():
        finished(Sample.objects.get(pk=pk), outcome, device, days=days)
        refresh([pk])


def store_elsewhere(*report: object) -> threading.Thread:
    """Store a report on a separate connection."""

    def run() -> None:
        try:
            store(*report)
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def somebody_waits() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(WAITING)
        return bool(cursor.fetchone()[0])


@pytest.mark.parametrize("device", [H200, L40])
@pytest.mark.parametrize("days", [0, 2])
def test_the_second_of_two_reports_sees_the_first(device, days):
    sample = make_sample()
    with transaction.atomic():
        store(sample.pk, "wrong_value", H200, 1)
        second = store_elsewhere(sample.pk, "passed", device, days)
        while second.is_alive() and not somebody_waits():
            second.join(0.01)
        assert second.is_alive()  # it waits for this transaction
    second.join()
    newest = "passed" if device == H200 and days == 2 else "wrong_value"
    sample.refresh_from_db()
    assert (sample.outcome, sample.device) == (newest, H200)
    expected = {H200: newest} if device == H200 else {H200: newest, L40: "passed"}
    assert dict(Evidence.objects.values_list("device", "outcome")) == expected
    assert refresh([sample.pk]) == 0
