"""Tests that no lease ends while messages of hosts may be unread: only the holder's report counts."""

import time

import pytest
import redis

from eval_app.broker.messages.keys import inbound_list
from eval_app.site_worker import host_contact
from eval_app.site_worker.host_contact import HostContact
from tests.verify.host_hand import HostHand

pytestmark = pytest.mark.django_db


class Clock:
    """The wall clock, moved by hand."""

    now = 1_000_000.0

    def time(self) -> float:
        return self.now

    def __iadd__(self, seconds: float) -> "Clock":
        self.now += seconds
        return self


@pytest.fixture
def clock(monkeypatch, settings, broker):
    settings.LEASE_SECONDS, settings.SWEEP_SECONDS = 30, 5
    clock = Clock()
    monkeypatch.setattr(host_contact, "time", clock)
    return clock


def asked_for(contact, clock, seconds):
    """Return the answers of a check every five seconds."""
    answers = []
    for _ in range(seconds // 5):
        clock += 5
        answers.append(contact.steady())
    return answers


def test_leases_end_after_half_a_lease_of_contact(clock):
    assert asked_for(HostContact(), clock, 20) == [False, False, True, True]


def test_after_a_sleep_the_hosts_get_half_a_lease_to_make_contact_again(clock):
    contact = HostContact()
    asked_for(contact, clock, 60)
    clock += 3600
    assert not contact.steady()
    assert asked_for(contact, clock, 15) == [False, False, True]


def test_while_the_broker_is_away_no_lease_ends_and_some_time_after(clock, monkeypatch):
    contact = HostContact()
    asked_for(contact, clock, 60)
    gone = redis.Redis.from_url("unix:///nowhere")
    with monkeypatch.context() as away:
        away.setattr(host_contact, "client", lambda: gone)
        HostHand()
        assert not any(asked_for(contact, clock, 1200))
    assert asked_for(contact, clock, 15) == [False, False, True]


def test_while_many_messages_are_unread_no_lease_ends_though_not_for_ever(clock, broker):
    HostHand()
    contact = HostContact()
    asked_for(contact, clock, 60)
    broker.lpush(inbound_list("gpu-7"), *["x"] * 50)
    assert not any(asked_for(contact, clock, 300))
    assert any(asked_for(contact, clock, 600))


def test_the_clock_of_the_machine_is_the_walls():
    """The monotonic clock stops while a laptop sleeps."""
    before = HostContact().since
    assert abs(before - time.time()) < 60


# --- clock jumps ---


@pytest.mark.parametrize("jump_s", [3600, -3600, 86_400 * 365])
def test_after_a_jump_of_the_clock_the_hosts_get_half_a_lease_before_one_ends(clock, jump_s):
    contact = HostContact()
    asked_for(contact, clock, 60)
    clock += jump_s
    assert not contact.steady()
    assert asked_for(contact, clock, 15) == [False, False, True]


def test_a_clock_that_jumps_back_and_forth_ends_no_lease(clock):
    contact = HostContact()
    for jump_s in (600, -600) * 5:
        clock += jump_s
        assert not contact.steady()
