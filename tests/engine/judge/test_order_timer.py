"""Tests of the timer of orders: how many calls it puts into one."""

from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.order_timer import OrderTimer  # noqa: E402


@pytest.mark.parametrize(("tensors", "calls"), [(1, 128), (16, 128), (300, 6), (5000, 1)])
def test_orders_of_calls_with_very_many_tensors_are_shorter(tensors, calls):
    case = SimpleNamespace(
        reference_ms=0.01, tensors=[torch.ones(4)] * tensors, truth=[torch.ones(4)] * tensors
    )
    maker = SimpleNamespace(make=lambda: case, reference=SimpleNamespace(device=torch.device("cpu")))
    session = SimpleNamespace(room_bytes=lambda: 2**40, make_room=lambda size: None)
    assert OrderTimer(session, maker, None, seeded=False)._count(0.01) == calls
