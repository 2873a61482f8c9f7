"""Tests of a channel that closes while it waits for a message: what comes then ends no process."""

from queue import Empty

import pytest
from kombu.transport import redis

from eval_app.broker.messages.transport import Channel


@pytest.fixture
def channel(monkeypatch):
    """A channel whose receiver has ended its threads."""

    def deliver(self, **options):
        raise RuntimeError("cannot schedule new futures after shutdown")

    monkeypatch.setattr(redis.Channel, "_brpop_read", deliver)
    made = Channel.__new__(Channel)
    made.closed = True  # for its finaliser
    return made


def test_a_message_that_comes_while_the_worker_stops_is_left(channel, caplog):
    channel._closing = True
    with pytest.raises(Empty):
        channel._brpop_read()
    assert "while this worker stopped" in caplog.text


def test_the_same_fault_of_a_worker_that_goes_on_is_raised(channel):
    channel._closing = False
    with pytest.raises(RuntimeError, match="after shutdown"):
        channel._brpop_read()
