"""Tests of alerts: what raises each rule, that each change of state is told once, that a broken rule tells nothing."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from datasets_app.accounts.actor import COMMAND
from datasets_app.models import BulkAction, WebhookDelivery
from datasets_app.webhooks import verbs
from eval_app.models import Alert, Host
from eval_app.operations.alerts import rules, store
from eval_app.operations.alerts.page_errors import PageErrors
from eval_app.operations.alerts.rules import Fault
from eval_app.operations.alerts.watch import Watch
from tests.operations import site

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def thresholds(settings):
    settings.ALERT_QUEUE_MINUTES, settings.ALERT_DISK_BYTES, settings.ALERT_ERROR_PERCENT = 60, 1, 20


def faults(rule, pages=None):
    return {fault.subject: fault.sentence for fault in rules.RULES[rule](pages or PageErrors(lambda: (0, 0)))}


# --- rules ---


def test_waiting_verifications_without_a_ready_worker_are_a_fault_after_a_minute():
    site.host(queues=["cpu"])
    site.waiting("cpu")
    site.waiting("cuda", minutes=0.2)
    assert faults("no_worker") == {}
    site.waiting("cuda", minutes=2)
    assert "2 verifications wait for CUDA" in faults("no_worker")["cuda"]
    assert "none has been seen" in faults("no_worker")["cuda"]


def test_an_old_verification_is_a_fault_of_its_device():
    site.waiting("cpu", minutes=50)
    assert faults("old_job") == {}
    site.waiting("cpu", minutes=70)
    assert list(faults("old_job")) == ["cpu"]
    assert "1 hour, 10 minutes" in faults("old_job")["cpu"].replace("\xa0", " ")


def test_a_disk_with_little_room_is_named(settings):
    assert faults("disk_nearly_full") == {}
    settings.ALERT_DISK_BYTES = 2**60
    assert set(faults("disk_nearly_full")) == {"data", "temporary"}


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"state": "unhealthy"}, "failed the self-test"),
        ({"devices": [{"kind": "cuda", "state": "broken"}]}, "1 of its devices are broken"),
        ({"versions": {"engine": "0.9.0"}}, "upgrade the host"),
        ({"sequence": 1_000_000}, "s behind"),
    ],
)
def test_a_host_that_answers_and_is_not_well_is_a_fault(fields, words):
    site.host(**fields)
    assert words in faults("host_unhealthy")["gpu-7"]
    assert faults("host_away") == {}


def test_a_refused_host_is_a_fault_and_a_revoked_one_is_not():
    site.host()
    Host.objects.update(refusal="its messages are replayed")
    assert "refused, its messages are replayed" in faults("host_unhealthy")["gpu-7"]
    Host.objects.update(revoked_at=timezone.now())
    assert faults("host_unhealthy") == {}


@pytest.mark.parametrize(
    ("seconds", "state", "away"),
    [(5, "ready", False), (600, "ready", True), (600, "stopped", False), (8 * 86_400, "ready", False)],
)
def test_a_host_that_fell_silent_without_being_stopped_is_away_for_a_week(seconds, state, away):
    site.host(seconds=seconds, state=state)
    assert bool(faults("host_away")) is away


def test_silence_of_seconds_is_said_in_seconds():
    site.host(seconds=55, state="ready")
    assert faults("host_away") == {"gpu-7": "Host gpu-7 has been silent for 55 s."}


def test_failed_jobs_are_a_fault_of_their_kind():
    assert faults("failed_jobs") == {}
    BulkAction.objects.create(action="tag", state="failed", error="broke", finished_at=site.ago(hours=1))
    assert list(faults("failed_jobs")) == ["bulk"]


def test_many_infra_errors_within_an_hour_are_a_fault():
    for _ in range(8):
        site.finished("passed")
    site.finished("infra_error", minutes=90)
    site.finished("infra_error")
    assert faults("infra_errors") == {}  # 1 of 9, and too few
    for _ in range(3):
        site.finished("infra_error")
    assert "4 of the last hour's 12" in faults("infra_errors")[""]


def test_page_errors_are_those_of_five_minutes_and_begin_anew_with_a_run():
    counts = iter([(1000, 900), (1100, 901), (1200, 950), (40, 40)])
    pages = PageErrors(lambda: next(counts))
    pages.note(0)
    assert pages.recent() == (0, 0)
    pages.note(290)
    assert faults("page_errors", pages) == {}
    pages.note(310)  # the first reading is older than five minutes
    assert pages.recent() == (100, 49)
    assert "49 of the last 5 minutes' 100 requests" in faults("page_errors", pages)[""]
    pages.note(320)  # the counters began anew
    assert pages.recent() == (0, 0)


# --- raised and cleared ---


def listen():
    verbs.create("https://hooks.example.org/concur", ["alert.raised", "alert.cleared"], actor=COMMAND)


def told():
    rows = WebhookDelivery.objects.order_by("created_at", "id").values_list("body", flat=True)
    return [(body["event"], body["alert"]["subject"]) for body in map(json.loads, rows)]


def test_each_change_of_state_is_told_once():
    listen()
    start = timezone.now()
    full = {"disk_nearly_full": [Fault("data", "It has 1 GB left.")]}
    assert store.settle(full, start) == (1, 0)
    assert store.settle(full, start + timedelta(seconds=30)) == (0, 0)
    assert store.settle({"disk_nearly_full": []}, start + timedelta(seconds=60)) == (
        0,
        0,
    )  # too soon to be over
    assert store.settle(full, start + timedelta(seconds=80)) == (0, 0)
    assert store.settle({"disk_nearly_full": []}, start + timedelta(seconds=140)) == (0, 1)
    assert store.settle({"disk_nearly_full": []}, start + timedelta(seconds=170)) == (0, 0)
    assert told() == [("alert.raised", "data"), ("alert.cleared", "data")]
    [alert] = Alert.objects.all()
    assert (alert.state, alert.raised_at) == ("cleared", start)
    assert store.settle(full, start + timedelta(seconds=200)) == (1, 0)
    assert Alert.objects.count() == 2


def test_an_event_has_the_facts_of_its_alert():
    listen()
    now = timezone.now()
    store.settle({"old_job": [Fault("cuda", "3 wait.")]}, now)
    facts = json.loads(WebhookDelivery.objects.get().body)["alert"]
    assert facts == {
        "id": Alert.objects.get().pk,
        "rule": "old_job",
        "subject": "cuda",
        "sentence": "3 wait.",
        "raised_at": now.isoformat(timespec="seconds"),
        "cleared_at": None,
        "page": "/operations/",
    }


def test_two_sweepers_raise_and_clear_one_alert():
    listen()
    now = timezone.now()
    fault = Fault("gpu-7", "It is silent.")
    assert store.raise_alert("host_away", fault, now)
    assert not store.raise_alert("host_away", fault, now)
    alert = Alert.objects.get()
    assert store.clear(alert, now)
    assert not store.clear(alert, now)
    assert told() == [("alert.raised", "gpu-7"), ("alert.cleared", "gpu-7")]


def test_a_rule_that_breaks_clears_nothing_and_stops_no_other(monkeypatch):
    long_ago = timezone.now() - timedelta(hours=1)
    store.settle({"host_away": [Fault("gpu-7", "It is silent.")]}, long_ago)
    store.settle({"old_job": [Fault("cpu", "Old.")]}, long_ago)

    def broken(pages):
        raise OSError("no route")

    monkeypatch.setitem(rules.RULES, "host_away", broken)
    Watch().evaluate()
    assert [alert.rule for alert in Alert.objects.raised()] == ["host_away"]


def test_the_watch_evaluates_every_half_minute_and_never_raises(monkeypatch):
    watch, calls = Watch(), []
    monkeypatch.setattr(watch, "evaluate", lambda: calls.append(1) or 1 / 0)
    watch.tick()
    watch.tick()
    assert calls == [1]


def test_alerts_are_kept_for_ninety_days():
    now = timezone.now()
    for days in (91, 10):
        Alert.objects.create(
            rule="old_job", raised_at=now, seen_at=now, cleared_at=now - timedelta(days=days)
        )
    assert store.forget_old(now) == 1


def test_every_rule_has_a_title():
    assert set(rules.TITLES) == set(rules.NAMES)
