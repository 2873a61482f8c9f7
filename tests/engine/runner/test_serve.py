"""Tests of the runner's loop: when it answers."""

import weakref
from types import ModuleType

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.runner.serve import Server  # noqa: E402
from eval_app.engine.shared.arena import Arena  # noqa: E402


class Announcement(dict):
    """An order that can be seen to be gone."""


def served(*held):
    """Return a runner that holds these results."""
    server = Server(ModuleType("candidate"), torch.device("cpu"), None, 1, None)
    server._held, server._first = [list(tensors) for tensors in held], []
    return server


def test_results_of_two_calls_that_share_memory_are_named_and_the_others_written_into():
    table, own = torch.ones(4), [torch.ones(4), torch.ones(4)]
    server = served((own[0], table), (own[1], table.view(2, 2)))
    assert server._write_into_results({"kept": [1]}, []) == {"ok": True, "shared": [1]}
    assert all(tensor.isnan().all() for tensor in own)
    assert (table == 1).all(), "the reference gives it out again as well"
    assert server._held == []


def test_all_results_that_are_held_are_written_into_and_those_of_the_last_two_calls_alone_share_memory():
    buffers = [torch.ones(4), torch.ones(4)]
    server = served([buffers[0]], [buffers[1]], [buffers[0]])
    assert server._write_into_results({"kept": []}, []) == {"ok": True, "shared": []}
    assert all(tensor.isnan().all() for tensor in buffers)


def test_the_first_result_is_held_to_the_end_as_it_was():
    server = served((torch.ones(4),))
    server._first = server._held[0]
    assert server._write_into_results({"kept": []}, []) == {"ok": True, "shared": []}
    assert (server._first[0] == 1).all()


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
