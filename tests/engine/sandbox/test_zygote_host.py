"""Tests that the channel to a zygote stays in step, and that a zygote stopped meanwhile is reported lost."""

import pytest

from eval_app.engine.orchestrator import single_query
from eval_app.engine.sandbox.bubblewrap import Sandbox
from eval_app.engine.sandbox.privileges import Limits
from eval_app.engine.sandbox.zygote_host import HostLostError, ZygoteHost

pytestmark = pytest.mark.engine


@pytest.fixture
def host():
    started = ZygoteHost("judge", "cpu", Sandbox(kind="none"), Limits())
    started.start()
    yield started
    started.stop()


@pytest.fixture
def stopped(host):
    host.stop()
    return host


def test_a_stopped_zygote_is_reported_as_lost(stopped):
    with pytest.raises(HostLostError, match="the judge was stopped"):
        stopped.reap()
    with pytest.raises(HostLostError, match="the judge was stopped"):
        stopped.reaped()


def test_a_query_leaves_nothing_unread_in_the_channel(host):
    for _ in range(2):
        assert single_query.ask(host, {"query": "peaks"}, 60.0, 2**32, lambda: False)


def test_an_answer_left_unread_is_found_at_the_next_message(host):
    host.wait_ready()
    host.reap()
    host.reap()
    with pytest.raises(HostLostError, match="answer 1 to message 2"):
        host.reaped()
