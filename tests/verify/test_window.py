"""Tests that only some of many verifications are in the broker; the rest are rows, sent as space permits."""

import pytest

from datasets_app import bulk
from datasets_app.accounts.actor import COMMAND
from datasets_app.bulk import Target
from datasets_app.models import Priority, Verification
from eval_app import tasks
from eval_app.attempts import leases
from eval_app.broker.celery_app import make_app, message_list
from eval_app.broker.message_locks import DONE, holders
from eval_app.queue import dispatch, send_window
from eval_app.queue.routes import Route
from eval_app.queue.shares import drawn
from eval_app.request.verify import request_verification
from eval_app.results.record import record_report
from eval_app.site_worker.sweeper import sweep
from tests.factories import acting, make_sample, make_user
from tests.verify import reports

pytestmark = pytest.mark.django_db
FEW = 2


@pytest.fixture(autouse=True)
def small_window(monkeypatch):
    """Limit the window to twelve messages, so that thirty rows are many."""
    monkeypatch.setattr(send_window, "WINDOW", 12)
    monkeypatch.setattr(send_window, "REFILL", 6)


@pytest.fixture
def many(broker):
    """Return thirty queued rows, of which as many are sent as the window permits."""
    rows = request_verification([make_sample() for _ in range(30)], priority=Priority.LATER, actor=COMMAND)
    tasks.fill_queues()
    return rows


def lying(broker, priority):
    return broker.llen(message_list("cpu", priority))


def taken_by_a_worker(redis_url, count=1):
    """Return the verifications of the messages that Celery's transport delivers first."""
    with make_app(redis_url).connection() as connection:
        channel = connection.default_channel
        found = [channel._get("verify.cpu") for _ in range(count)]
    return [message["headers"]["id"].partition(":")[0] for message in found]


def finish(rows):
    for row in rows:
        record_report(row.pk, 1, reports.wrong(row.sample_id))
        tasks.fill_queues()


def test_only_as_many_messages_as_the_window_has_are_sent(many, broker):
    assert lying(broker, Priority.LATER) == 12
    assert Verification.objects.filter(sent_at=None).count() == 18
    tasks.fill_queues()
    assert lying(broker, Priority.LATER) == 12


def test_the_oldest_are_sent_first(many, redis_url):
    assert taken_by_a_worker(redis_url, 12) == [str(row.pk) for row in sorted_as_asked(many)[:12]]


def sorted_as_asked(rows):
    return list(Verification.objects.filter(pk__in=[row.pk for row in rows]).order_by("created_at", "id"))


def test_what_finishes_makes_room_for_the_next(many, broker):
    finish(sorted_as_asked(many)[:6])
    sent = Verification.objects.waiting().exclude(sent_at=None)
    assert sent.count() == 12
    assert lying(broker, Priority.LATER) == 18  # nothing here consumed the six that finished


def test_one_that_somebody_waits_for_is_taken_before_all_the_others(
    many, redis_url, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        (row,) = request_verification([make_sample()], actor=COMMAND)
    assert taken_by_a_worker(redis_url) == [str(row.pk)]


def test_asking_for_one_that_waits_with_many_others_sends_it_first(
    many, redis_url, django_capture_on_commit_callbacks
):
    last = sorted_as_asked(many)[-1]
    with django_capture_on_commit_callbacks(execute=True):
        (row,) = request_verification([last.sample], actor=COMMAND)
    assert row.pk == last.pk
    assert taken_by_a_worker(redis_url) == [str(last.pk)]
    last.refresh_from_db()
    assert last.priority == Priority.FIRST


@pytest.mark.parametrize(("count", "priority"), [(1, 0), (20, 0), (21, 3), (1000, 3), (1001, 6)])
def test_the_smaller_a_request_the_earlier_its_turn(count, priority):
    assert Priority.of(count) == priority


def test_persons_who_ask_one_by_one_do_not_overfill_the_broker(broker, django_capture_on_commit_callbacks):
    for _ in range(15):
        with django_capture_on_commit_callbacks(execute=True):
            request_verification([make_sample()], actor=COMMAND)
    assert lying(broker, Priority.FIRST) == 12
    assert Verification.objects.filter(sent_at=None).count() == 3


def test_a_flushed_broker_is_filled_again_up_to_the_window_and_no_further(many, broker, settings):
    settings.LEASE_SECONDS = 0
    broker.flushall()
    sweep()
    assert lying(broker, Priority.LATER) == 12
    assert Verification.objects.filter(sent_at=None).count() == 18


def test_a_process_that_died_between_marking_and_sending_costs_nothing(broker, settings):
    settings.LEASE_SECONDS = 0
    rows = request_verification([make_sample() for _ in range(FEW)], actor=COMMAND)
    assert len(dispatch.marked([row.pk for row in rows])) == FEW
    assert lying(broker, Priority.FIRST) == 0
    sweep()
    assert lying(broker, Priority.FIRST) == FEW


def test_two_that_send_at_once_send_each_row_once(broker):
    rows = request_verification([make_sample() for _ in range(FEW)], actor=COMMAND)
    ids = [row.pk for row in rows]
    assert (dispatch.send(ids), dispatch.send(ids)) == (FEW, 0)


def test_a_broker_that_is_down_leaves_the_rows_to_be_sent_later(settings):
    rows = request_verification([make_sample() for _ in range(FEW)], actor=COMMAND)
    tasks.fill_queues()
    assert Verification.objects.filter(pk__in=[row.pk for row in rows], sent_at=None).count() == FEW


def test_a_worker_that_stops_in_the_middle_of_many_hands_its_row_on_as_the_next(many, broker):
    first = sorted_as_asked(many)[0]
    leases.renew("gpu-1", [{"verification": str(first.pk), "attempt": 1}])
    dispatch.give_back(first.pk, 1)
    tasks.fill_queues()
    assert drawn(send_window.unsent(Route("cpu")), 1) == [first.pk]


def asked_in_bulk(count=30):
    samples = [make_sample() for _ in range(count)]
    person = make_user("annotator")
    return person, bulk.start(acting(person), "verify", Target.of_ids([str(one.pk) for one in samples]), {})


def test_taking_a_bulk_verify_back_cancels_what_waits(broker):
    person, done = asked_in_bulk()
    tasks.fill_queues()
    undone = bulk.undo(acting(person), done)
    assert undone.changed == 30
    assert not Verification.objects.unfinished().exists()
    assert Verification.objects.filter(error__startswith=f"Cancelled by {person}").count() == 30


@pytest.mark.django_db(transaction=True)
def test_a_message_of_a_row_that_was_taken_back_is_dropped_by_who_gets_it(broker):
    person, done = asked_in_bulk()
    tasks.fill_queues()
    sent = Verification.objects.exclude(sent_at=None).first()
    bulk.undo(acting(person), done)
    assert holders(broker, [(sent.pk, 1)]) == [DONE]


def test_taking_back_leaves_what_runs_and_what_somebody_else_asked_for_since(broker):
    person, done = asked_in_bulk()
    running, hastened = Verification.objects.order_by("created_at", "id")[:2]
    leases.renew("gpu-1", [{"verification": str(running.pk), "attempt": 1}])
    request_verification([hastened.sample], actor=acting(make_user("annotator")))
    assert bulk.undo(acting(person), done).changed == 28
    assert set(Verification.objects.unfinished()) == {running, hastened}
