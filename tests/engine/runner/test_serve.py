"""Tests of the runner's loop: when it answers."""

import weakref
from types import ModuleType

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.runner.serve import Server  # noqa: E402
from eval_app.engine.shared.arena import Arena  # noqa: E402


class Announcement(dict):
    """An order that can be seen to be gone."""


class Peer:
    """A judge that sends one order of a kind that changes nothing, and notes whether it is gone at the answer."""

    def __init__(self):
        self.orders = [Announcement(op="stage", calls=[])]
        self.seen = weakref.ref(self.orders[0])
        self.gone = None

    def receive_with(self):
        if not self.orders:
            raise EOFError
        return self.orders.pop(), []

    def send(self, reply):
        assert reply == {"ok": True}
        self.gone = self.seen() is None


def test_what_an_order_holds_is_freed_before_its_answer_since_what_follows_is_timed():
    peer = Peer()
    server = Server(ModuleType("candidate"), torch.device("cpu"), peer, 1, None)
    server._arena = Arena.create(64, torch.device("cpu"))
    with pytest.raises(EOFError):
        server.serve()
    assert peer.gone
