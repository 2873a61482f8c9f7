"""Tests that the channel to a zygote stays in step, and that a zygote stopped meanwhile is reported lost."""

import os
import signal
from contextlib import contextmanager
from pathlib import Path

import pytest

from eval_app.engine.contract import schema
from eval_app.engine.contract.profiles import PROFILES
from eval_app.engine.orchestrator.lane import ONE_THREAD
from eval_app.engine.orchestrator.queries import NoAnswerError, Queries
from eval_app.engine.sandbox import process_tree
from eval_app.engine.sandbox.bubblewrap import Sandbox
from eval_app.engine.sandbox.privileges import Limits
from eval_app.engine.sandbox.zygote_host import HostLostError, ZygoteHost

pytestmark = pytest.mark.engine
PEAKS = {"query": "peaks"}
BROKEN = {
    "query": "baseline", "mode": "compile", "reference": "x = 1", "profile": schema.to_json(PROFILES["quick"]),
}  # fmt: skip


def never():
    return False


@contextmanager
def started(role):
    host = ZygoteHost(role, "cpu", Sandbox(kind="none", environment=ONE_THREAD), Limits())
    host.start()
    try:
        yield host
    finally:
        host.stop()


@pytest.fixture(scope="module")
def hosts():
    """Start one zygote per role: each loads torch, which takes seconds."""
    with started("judge") as judge, started("runner") as runner, started("queries") as queries:
        yield {"judge": judge, "runner": runner, "queries": queries}


@pytest.fixture
def role():
    return "judge"


@pytest.fixture
def host(hosts, role):
    return hosts[role]


@pytest.fixture
def stopped():
    with started("judge") as host:
        host.stop()
        yield host


def test_a_stopped_zygote_is_reported_as_lost(stopped):
    with pytest.raises(HostLostError, match="the judge was stopped"):
        stopped.reap()
    with pytest.raises(HostLostError, match="the judge was stopped"):
        stopped.reaped()


def test_a_stopped_zygote_is_not_launched_again(stopped):
    stopped.start()
    with pytest.raises(HostLostError, match="the judge was stopped"):
        stopped.wait_ready()
    assert stopped.pid == 0
    assert stopped.starts == 1


def test_a_zygote_that_was_lost_is_launched_again():
    with started("judge") as host:
        os.kill(host.pid, signal.SIGKILL)
        with pytest.raises(HostLostError, match="lost"):
            host.wait_ready()
        host.wait_ready()
        assert host.starts == 2


@pytest.mark.parametrize("role", ["judge", "runner", "queries"])
def test_a_zygote_has_one_thread_because_a_fork_keeps_no_other(host):
    host.wait_ready()
    status = Path(f"/proc/{host.pid}/status").read_text()
    assert "Threads:\t1\n" in status


@pytest.mark.parametrize("role", ["judge", "queries"])
def test_a_query_leaves_nothing_unread_in_the_channel(host):
    for _ in range(2):
        with Queries(host) as queries:
            assert queries.ask(PEAKS, 60.0, 2**32, never)


def test_one_process_answers_queries_until_one_has_no_answer(host):
    with Queries(host) as queries:
        assert queries.ask(PEAKS, 60.0, 2**32, never)
        first = host.folder
        assert queries.ask(PEAKS, 60.0, 2**32, never)
        assert host.folder == first
        assert "missing" in queries.ask(PEAKS | BROKEN, 60.0, 2**32, never)
        assert queries.ask(PEAKS, 60.0, 2**32, never)
        assert host.folder != first
        with pytest.raises(NoAnswerError, match="cancelled"):
            queries.ask(PEAKS, 60.0, 2**32, lambda: True)
        assert queries.ask(PEAKS, 60.0, 2**32, never)


def test_processes_that_did_not_stop_once_are_not_waited_for_again(monkeypatch):
    """Each of dozens of times took five seconds, for a time that nothing could confirm any more."""
    one, waits = ZygoteHost("runner", "cpu", Sandbox(), Limits()), []
    monkeypatch.setattr(process_tree, "freeze", lambda pid, *, frozen, within_s: bool(waits.append(within_s)))
    monkeypatch.setattr(process_tree, "clocks", lambda pid: {})
    assert [one.freeze(frozen=frozen) for frozen in (True, False, True)] == [False] * 3
    assert waits == [process_tree.FREEZE_S, process_tree.FREEZE_S, 0.0]


def test_an_answer_left_unread_is_found_at_the_next_message():
    with started("runner") as host:
        host.wait_ready()
        host.reap()
        host.reap()
        with pytest.raises(HostLostError, match="answer 1 to message 2"):
            host.reaped()
