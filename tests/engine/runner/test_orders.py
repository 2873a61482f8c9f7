"""How a runner makes the calls of an order: behind the gate, all at once or one by one."""

from types import SimpleNamespace

import pytest

pytest.importorskip("torch")

import torch

from eval_app.engine.runner.orders import Orders
from eval_app.engine.shared.order import OrderedCall


@pytest.mark.parametrize(
    ("one_by_one", "expected"),
    [
        (False, ["wait 7", "call", "call", "done 7"]),
        (True, ["wait 7", "call", "done 7", "wait 8", "call", "done 8"]),
    ],
)
def test_each_call_that_comes_alone_waits_for_its_own_values(one_by_one, expected):
    done = []
    gate = SimpleNamespace(
        wait=lambda number: done.append(f"wait {number}"),
        say_done=lambda number: done.append(f"done {number}"),
    )

    def model(x):
        done.append("call")
        return x + 1

    orders = Orders()
    orders._calls = [OrderedCall([torch.ones(2)], None) for _ in range(2)]
    orders._targets = [[torch.empty(2)], [torch.empty(2)]]
    order = {"number": 7, "one_by_one": one_by_one, "seeds": [None, None]}
    answer = orders.make(model, order, None, gate)
    assert done == expected
    assert "unreadable" in answer, "results in host memory cannot be read in place"
