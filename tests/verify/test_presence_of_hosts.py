"""Tests of hosts' messages while they work, and of attempts to impersonate them."""

from datetime import timedelta

import pytest
from django.utils import timezone

from datasets_app.models import Verification
from eval_app.broker.messages import envelope
from eval_app.broker.messages.keys import notice_key
from eval_app.engine import ENGINE_VERSION
from eval_app.models import Host, Worker
from eval_app.site_worker import inbound
from tests.verify.host_hand import FACTS, HostHand, about, now

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("broker")]


# --- Heartbeats, announcements, rows given back --------------------------------------------------------------------


def test_a_heartbeat_takes_the_lease_of_a_row_that_waits(host, row):
    assert host.heartbeat(row)
    assert (now(row).state, row.worker, row.stage) == ("running", "gpu-7", "timing")


def test_a_heartbeat_does_not_take_a_row_from_its_holder(host, other, row):
    host.heartbeat(row)
    before = now(row).lease_until
    other.heartbeat(row, stage="mine")
    assert (now(row).worker, row.stage, row.lease_until) == ("gpu-7", "timing", before)


def test_another_worker_of_the_same_host_does_not_take_the_row_either(host, row):
    host.heartbeat(row)
    host.label = "node-2"
    host.heartbeat(row)
    assert now(row).worker == "gpu-7"
    assert Worker.objects.filter(name="gpu-7/node-2", host__name="gpu-7").exists()


def test_a_worker_whose_name_is_longer_than_its_column_is_one_worker_and_holds_its_rows(row):
    host = HostHand("a" * 60)
    host.label = "node-" + "x" * 90
    assert host.announce()
    assert host.heartbeat(row)
    assert [worker.state for worker in Worker.objects.all()] == ["ready"]
    assert now(row).worker == Worker.objects.get().name


def test_a_heartbeat_without_the_jobs_nonce_holds_nothing(host, row):
    assert not host.deliver(host.numbered("heartbeat", [{**about(row), "nonce": "0" * 32}]))
    assert now(row).state == "queued"


def test_a_heartbeat_that_is_replayed_renews_no_lease(host, row):
    raw = host.numbered("heartbeat", [{**about(row), "stage": "timing"}])
    host.deliver(raw)
    Verification.objects.filter(pk=row.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    assert not host.deliver(raw)
    assert now(row).lease_until < timezone.now()


def test_a_heartbeat_that_somebody_held_back_renews_no_lease(host, row, monkeypatch):
    held_back = host.numbered("heartbeat", [about(row)])
    later = timezone.now() + timedelta(minutes=11)
    monkeypatch.setattr(timezone, "now", lambda: later)
    assert not host.deliver(held_back)
    assert now(row).state == "queued"
    assert "minutes old" in host.refusal


@pytest.mark.parametrize("minutes", [-8, 8])
def test_a_host_whose_clock_is_some_minutes_off_is_heard(host, row, minutes):
    host.sequence += minutes * 60_000_000
    assert host.heartbeat(row)
    assert now(row).state == "running"


def test_a_host_whose_clock_is_an_hour_ahead_is_told_to_set_it(host):
    host.sequence += 3600_000_000
    assert not host.announce()
    assert "set it by NTP" in host.refusal


def test_an_announcement_fills_the_workers_row_and_is_answered(host, broker):
    assert host.announce(busy=1)
    worker = Worker.objects.get(name="gpu-7")
    assert (worker.state, worker.busy, worker.host.name) == ("ready", 1, "gpu-7")
    raw = broker.get(notice_key("gpu-7", "gpu-7"))
    head, content = envelope.unpack(raw, host.key.site_public)
    assert (head["session"], content) == (
        "s",
        {"refusal": "", "queues": ["verify.cpu"], "hold": "", "engine": ENGINE_VERSION},
    )


def test_a_replayed_announcement_does_not_bring_a_dead_worker_back(host):
    raw = host.numbered("announce", FACTS)
    host.deliver(raw)
    Worker.objects.update(seen_at=timezone.now() - timedelta(hours=1))
    assert not host.deliver(raw)
    assert not Worker.objects.alive().exists()


def test_a_host_cannot_announce_a_worker_of_another(host, other):
    other.announce()
    host.label = "gpu-8"
    host.announce(state="stopped")
    assert Worker.objects.get(name="gpu-8").state == "ready"
    assert Worker.objects.get(name="gpu-7/gpu-8").state == "stopped"


@pytest.mark.parametrize("version", ["0.9.0", "99.0.0", "", "1.1", "x" * 5000])
def test_a_host_with_an_engine_that_the_site_does_not_know_is_refused_with_what_to_upgrade(
    host, broker, version
):
    assert not host.announce(versions={"engine": version})
    assert "upgrade" in host.refusal or "install the site's version" in host.refusal
    assert not Worker.objects.exists()
    assert b'"refusal":"its engine' in broker.get(notice_key("gpu-7", "gpu-7"))


@pytest.mark.parametrize(("version", "side"), [("0", "the host"), ("2", "the site first")])
def test_a_host_that_speaks_another_protocol_is_refused_with_what_to_upgrade(host, version, side):
    raw = host.numbered("announce", FACTS)
    assert not host.deliver(raw.replace(b"CW1", f"CW{version}".encode(), 1))
    assert f"upgrade {side}" in host.refusal


def test_a_refusal_is_forgotten_once_a_message_counts(host):
    host.announce(versions={"engine": "0.9.0"})
    host.announce()
    assert host.refusal == ""


def test_a_flood_of_refused_messages_is_written_down_once(host, django_assert_max_num_queries):
    host.deliver(b"flood")
    before = Host.objects.get().refused_at
    for number in range(5):
        with django_assert_max_num_queries(1):
            host.deliver(b"flood %d" % number)
    assert Host.objects.get().refused_at == before


def test_a_row_is_given_back_by_its_holder_alone(host, other, row):
    host.heartbeat(row)
    other.give_back(row)
    assert now(row).attempt == 1
    host.give_back(row)
    assert (now(row).state, row.attempt) == ("queued", 2)


def test_a_replayed_giving_back_does_not_take_the_next_attempt_away(host, row):
    raw = host.packed("give_back", None, **about(row))
    host.deliver(raw)
    host.heartbeat(now(row))
    host.deliver(raw)
    assert (now(row).state, row.attempt) == ("running", 2)


# --- Bytes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        None,
        5,
        "x",
        [],
        {"state": []},
        {**FACTS, "lanes": "x"},
        {**FACTS, "devices": 3},
        {**FACTS, "queues": None},
    ],
)
def test_an_announcement_that_makes_no_sense_is_refused_and_ends_nothing(host, content):
    assert not host.deliver(host.numbered("announce", content))


@pytest.mark.parametrize("content", [None, 5, {}, [None], [[]], [{}], [{"verification": "x", "attempt": 1}]])
def test_a_heartbeat_that_makes_no_sense_is_refused_and_ends_nothing(host, content):
    host.deliver(host.numbered("heartbeat", content))
    assert not Verification.objects.running().exists()


@pytest.mark.parametrize(
    "head", [{"sequence": None}, {"sequence": "1"}, {"sequence": 2**80}, {"worker": "../x"}]
)
def test_a_head_that_makes_no_sense_is_refused_and_ends_nothing(host, head):
    assert not host.deliver(host.numbered("announce", FACTS, **head))


def test_an_announcement_of_megabytes_is_refused(host):
    assert not host.announce(health_detail="x" * 2**20)
    assert "bytes" in host.refusal


def test_a_host_cannot_fill_the_site_with_workers(host, monkeypatch):
    monkeypatch.setattr(inbound, "MAX_WORKERS", 3)
    for number in range(5):
        host.label = f"node-{number}"
        host.announce()
    assert Worker.objects.count() == 3
    assert "3 workers" in host.refusal


def test_a_message_with_a_changed_byte_is_refused_wherever_the_byte_is(host):
    raw = host.numbered("announce", FACTS)
    for place in range(0, len(raw), 5):
        assert not host.deliver(raw[:place] + bytes([raw[place] ^ 1]) + raw[place + 1 :])
    assert not Worker.objects.exists()


def test_a_message_of_an_unknown_purpose_or_host_is_dropped(host):
    assert not host.deliver(host.packed("run"))
    assert not inbound.receive("nobody", host.numbered("announce", FACTS))


def test_what_the_site_signs_is_no_message_of_a_host(host, broker):
    host.announce()
    assert not host.deliver(broker.get(notice_key("gpu-7", "gpu-7")))
