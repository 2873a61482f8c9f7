"""Tests of deliveries: sent once per attempt, tried again with growing pauses, given up with a reason, never lost."""

import json
import time
from datetime import timedelta
from uuid import UUID

import pytest
from django.utils import timezone

from datasets_app.accounts.actor import COMMAND
from datasets_app.jobs import job_row
from datasets_app.models import AuditEntry, JobState, Webhook, WebhookDelivery, WebhookEvent
from datasets_app.webhooks import deliver, verbs
from datasets_app.webhooks.events import queue
from datasets_app.webhooks.signature import signature

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


@pytest.fixture
def webhook(receiver):
    return receiver.webhook()[0]


@pytest.fixture
def delivery(webhook):
    return queue(webhook, WebhookEvent.RELEASE_FROZEN, {"release": {"name": "first"}})


def attempt(delivery, *, later=timedelta()):
    """Run the delivery's job, as if its pause had passed; return its row."""
    WebhookDelivery.objects.filter(pk=delivery.pk).update(next_attempt_at=timezone.now() - later)
    deliver.run(delivery.pk)
    delivery.refresh_from_db()
    return delivery


def pause_before_next(delivery):
    return delivery.next_attempt_at - delivery.started_at


def test_it_arrives_signed_with_the_secret_that_was_shown(receiver):
    webhook, secret = receiver.webhook("release.frozen")
    delivery = attempt(queue(webhook, "release.frozen", {"release": {"name": "first"}}))
    [request] = receiver.received
    assert (delivery.state, delivery.status_code, delivery.attempt) == (JobState.DONE, 200, 1)
    assert json.loads(request.body)["release"] == {"name": "first"}
    assert json.loads(request.body)["delivery"] == request.headers["X-Concur-Delivery"] == str(delivery.pk)
    assert json.loads(request.body)["event"] == request.headers["X-Concur-Event"] == "release.frozen"
    timestamp = int(request.headers["X-Concur-Timestamp"])
    assert abs(timestamp - time.time()) < 3600
    assert request.headers["X-Concur-Signature-256"] == signature(secret, timestamp, request.body.decode())
    assert UUID(request.headers["X-Concur-Delivery"]) == delivery.pk


def test_a_failed_attempt_is_tried_again_with_the_same_id_and_body(receiver, delivery):
    receiver.answers = [500]
    attempt(delivery)
    assert (delivery.state, delivery.status_code, delivery.error) == (
        JobState.QUEUED,
        500,
        "The answer was 500.",
    )
    assert deliver.PAUSES[0] <= pause_before_next(delivery) < deliver.PAUSES[1]
    attempt(delivery)
    assert (delivery.state, delivery.status_code, delivery.error) == (JobState.DONE, 200, "")
    first, second = receiver.received
    assert first.body == second.body
    assert first.headers["X-Concur-Delivery"] == second.headers["X-Concur-Delivery"]


def test_pauses_grow_and_the_last_attempt_ends_it_with_its_reason(receiver, delivery):
    receiver.answers = [503] * 9
    pauses = []
    for _ in range(WebhookDelivery.MAX_ATTEMPTS - 1):
        attempt(delivery)
        assert delivery.state == JobState.QUEUED
        pauses.append(pause_before_next(delivery))
    attempt(delivery)
    assert (delivery.state, delivery.error, delivery.attempt) == (JobState.FAILED, "The answer was 503.", 6)
    assert pauses == sorted(pauses)
    assert DAY < sum(pauses, timedelta()) < 1.5 * DAY
    attempt(delivery)
    assert len(receiver.received) == 6, "one that is given up is not sent"


def test_nothing_is_sent_before_the_pause_has_passed(receiver, delivery):
    receiver.answers = [500]
    attempt(delivery)
    deliver.run(delivery.pk)
    later = timezone.now() + DAY
    assert job_row.waiting_since(WebhookDelivery, later) == []
    assert len(receiver.received) == 1


def test_a_redirect_is_a_fault_and_is_not_followed(receiver, delivery):
    receiver.answers = [302]
    attempt(delivery)
    assert delivery.error.startswith("The answer was 302. Redirects are not followed")
    assert len(receiver.received) == 1


def wait_for_end(receiver):
    return lambda handler: receiver.ended.wait()


def drip(receiver):
    def answer(handler):
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
        while not receiver.ended.wait(0.05):
            handler.wfile.write(b"x")

    return answer


@pytest.mark.parametrize("slow", [wait_for_end, drip])
def test_an_answer_that_does_not_come_in_time_is_cut_off(receiver, delivery, slow, monkeypatch):
    monkeypatch.setattr(deliver, "ATTEMPT_SECONDS", 0.5)
    receiver.answers = [slow(receiver)]
    attempt(delivery)
    assert (delivery.state, delivery.status_code) == (JobState.QUEUED, None)
    assert delivery.error == "No answer arrived: it took longer than 0.5 s."


def test_an_address_that_is_not_allowed_any_more_is_refused_when_it_is_sent(receiver, delivery, settings):
    settings.WEBHOOK_NETWORKS = []
    attempt(delivery)
    assert "127.0.0.1 is not a public address" in delivery.error
    assert not receiver.received


# --- Workers ------------------------------------------------------------------------------------------


def test_of_two_workers_one_gets_an_attempt(delivery):
    assert job_row.claim(WebhookDelivery, delivery.pk)
    assert job_row.claim(WebhookDelivery, delivery.pk) is None


def lose(delivery):
    """Claim the delivery as a worker that is killed before it sends anything, and let the sweeper notice."""
    job_row.claim(WebhookDelivery, delivery.pk)
    WebhookDelivery.objects.filter(pk=delivery.pk).update(lease_until=timezone.now() - DAY)
    return job_row.requeue_expired(WebhookDelivery)


def test_what_a_killed_worker_held_is_sent_by_another(receiver, delivery):
    assert lose(delivery) == [delivery]
    assert job_row.waiting_since(WebhookDelivery, timezone.now() + DAY) == [delivery.pk]
    attempt(delivery)
    assert (delivery.state, delivery.attempt, len(receiver.received)) == (JobState.DONE, 2, 1)


def test_one_that_kills_each_worker_is_given_up(receiver, delivery):
    for _ in range(WebhookDelivery.MAX_ATTEMPTS):
        lose(delivery)
    delivery.refresh_from_db()
    assert delivery.state == JobState.FAILED
    assert "stopped answering in each of 6 attempts" in delivery.error


def test_a_late_worker_changes_nothing(receiver, delivery):
    late = job_row.claim(WebhookDelivery, delivery.pk)
    WebhookDelivery.objects.filter(pk=delivery.pk).update(lease_until=timezone.now() - DAY)
    job_row.requeue_expired(WebhookDelivery)
    attempt(delivery)
    with pytest.raises(job_row.LeaseLostError):
        deliver.settle(late, deliver.Answer(500, "The answer was 500."))
    delivery.refresh_from_db()
    assert delivery.state == JobState.DONE


# --- Switched off -------------------------------------------------------------------------------------


def give_up(webhook, days_ago, event=WebhookEvent.EXPORT_FAILED):
    """Fail a new delivery, as if that had been `days_ago`."""
    row = queue(webhook, event, {})
    job_row.fail(job_row.claim(WebhookDelivery, row.pk), "The answer was 500.")
    WebhookDelivery.objects.filter(pk=row.pk).update(finished_at=timezone.now() - days_ago * DAY)


def in_use_since(webhook, days_ago):
    Webhook.objects.filter(pk=webhook.pk).update(enabled_at=timezone.now() - days_ago * DAY)


def is_active(webhook):
    return Webhook.objects.active().filter(pk=webhook.pk).exists()


def test_days_of_failures_switch_a_webhook_off_with_a_note(webhook):
    in_use_since(webhook, 30)
    give_up(webhook, days_ago=3.1)
    assert is_active(webhook)
    give_up(webhook, days_ago=0)
    webhook.refresh_from_db()
    assert not webhook.is_active
    assert webhook.disabled_note.startswith("Every delivery since 20")
    assert AuditEntry.objects.get(action="webhook.off").actor_name == "site"


def test_failures_of_one_day_do_not(webhook):
    in_use_since(webhook, 30)
    for _ in range(5):
        give_up(webhook, days_ago=1)
    assert is_active(webhook)


def test_failures_before_a_success_do_not(webhook):
    in_use_since(webhook, 30)
    give_up(webhook, days_ago=4)
    attempt(queue(webhook, WebhookEvent.EXPORT_FINISHED, {}))
    give_up(webhook, days_ago=0)
    assert is_active(webhook)


def test_failures_before_it_was_switched_on_again_do_not(webhook):
    give_up(webhook, days_ago=9)
    verbs.switch_off(webhook, actor=COMMAND)
    verbs.switch_on(webhook, actor=COMMAND)
    give_up(webhook, days_ago=0)
    assert is_active(webhook)


def test_tests_that_fail_do_not(webhook):
    in_use_since(webhook, 30)
    for days in (4, 0):
        give_up(webhook, days, event="ping")
    assert is_active(webhook)


def test_what_waits_for_a_webhook_that_is_switched_off_is_given_up_unsent(receiver, webhook, delivery):
    verbs.switch_off(webhook, actor=COMMAND)
    attempt(delivery)
    assert (delivery.state, delivery.error) == (
        JobState.FAILED,
        "The webhook was switched off before this was sent.",
    )
    assert not receiver.received


# --- Tests, and sending again ---------------------------------------------------------------------------


def test_a_test_is_tried_once_also_on_a_webhook_that_is_off(receiver, webhook):
    verbs.switch_off(webhook, actor=COMMAND)
    receiver.answers = [500]
    assert attempt(verbs.send_test(webhook, actor=COMMAND)).state == JobState.FAILED
    assert attempt(verbs.send_test(webhook, actor=COMMAND)).state == JobState.DONE
    assert [json.loads(request.body)["event"] for request in receiver.received] == ["ping", "ping"]


def test_a_delivery_is_sent_again_with_all_its_attempts(receiver, delivery):
    attempt(delivery)
    assert verbs.send_again(delivery, actor=COMMAND)
    delivery.refresh_from_db()
    assert (delivery.state, delivery.attempt, delivery.finished_at) == (JobState.QUEUED, 0, None)
    attempt(delivery)
    first, second = receiver.received
    assert first.body == second.body


def test_one_that_is_being_sent_is_left_alone(delivery):
    job_row.claim(WebhookDelivery, delivery.pk)
    assert not verbs.send_again(delivery, actor=COMMAND)


def test_after_a_change_of_the_secret_key_nothing_is_signed_with_an_unknown_secret(
    receiver, delivery, settings
):
    settings.SECRET_KEY = "another key of the site"
    attempt(delivery)
    assert delivery.error.startswith("CONCUR_SECRET_KEY has changed")
    assert not receiver.received
    verbs.new_secret(delivery.webhook, actor=COMMAND)
    attempt(delivery)
    assert delivery.state == JobState.DONE


def test_old_deliveries_that_ended_are_forgotten(webhook, delivery):
    attempt(delivery)
    waiting, fresh = (queue(webhook, "ping", {}) for _ in range(2))
    old = [delivery.pk, waiting.pk]
    WebhookDelivery.objects.filter(pk__in=old).update(created_at=timezone.now() - 31 * DAY)
    attempt(fresh)
    assert deliver.forget_deliveries() == 1
    assert set(WebhookDelivery.objects.values_list("pk", flat=True)) == {waiting.pk, fresh.pk}
    assert deliver.forget_deliveries() == 0
