"""Tests of the pace of verifications and what it says of the time left."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from datasets_app.accounts.actor import COMMAND
from datasets_app.models import Verification
from eval_app.pages.pace import Pace, busy_seconds, duration_words
from eval_app.request.verify import request_verification
from eval_app.results.record import record_report
from tests.factories import make_sample
from tests.verify import reports

START = datetime(2026, 1, 1, tzinfo=UTC)


def span(start, end):
    return START + timedelta(seconds=start), START + timedelta(seconds=end)


def finished_in(seconds, runs, *, at_once=False):
    """Store runs of this length on the CPU, one after the other or all at the same time; each belongs to no batch."""
    end = timezone.now() - timedelta(hours=1)
    for number in range(runs):
        (row,) = request_verification([make_sample()], device="cpu", actor=COMMAND)
        record_report(row.pk, 1, reports.passed(row.sample_id))
        until = end - timedelta(seconds=0 if at_once else 2 * seconds * number)
        start = until - timedelta(seconds=seconds)
        Verification.objects.filter(pk=row.pk).update(started_at=start, finished_at=until, worker="box")


@pytest.mark.parametrize(
    ("spans", "seconds"),
    [
        ([], 0),
        ([span(0, 10)], 10),
        ([span(0, 10), span(5, 15)], 15),
        ([span(0, 30), span(5, 15), span(20, 40)], 40),
        ([span(100, 110), span(0, 10)], 20),
    ],
)
def test_time_without_a_run_does_not_count(spans, seconds):
    assert busy_seconds(spans) == seconds


@pytest.mark.django_db
def test_runs_at_the_same_time_share_it():
    finished_in(60, runs=6, at_once=True)
    assert Pace.read().seconds_per_run == {("cpu", "quick"): pytest.approx(10)}


@pytest.mark.django_db
def test_fewer_than_five_runs_and_imported_reports_measure_nothing():
    finished_in(60, runs=4)
    assert Pace.read().seconds_per_run == {}
    finished_in(60, runs=4)
    Verification.objects.update(worker="")
    assert Pace.read().seconds_per_run == {}


def test_kinds_of_device_work_side_by_side():
    pace = Pace({("cpu", "quick"): 2.0, ("cpu", "thorough"): 10.0, ("cuda", "quick"): 30.0})
    work = [(("cpu", "quick"), 5), (("cpu", "thorough"), 1), (("cuda", "quick"), 1)]
    assert pace.left(work) == timedelta(seconds=30)
    assert pace.left([*work, (("cuda", "thorough"), 1)]) is None
    assert pace.left([]) == timedelta()


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (3, "less than a minute"),
        (61, "about 1 minute"),
        (290, "about 5 minutes"),
        (7000, "about 2 hours"),
        (400_000, "about 5 days"),
    ],
)
def test_an_estimate_is_said_no_more_exactly_than_it_is(seconds, words):
    assert duration_words(timedelta(seconds=seconds)) == words
