"""Tests of the judge's side of a session: its buffers grow with the calls."""

from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine import PROFILES  # noqa: E402
from eval_app.engine.judge.calls.session import Session  # noqa: E402
from eval_app.engine.judge.task.cases import Case  # noqa: E402
from eval_app.engine.shared.trees import TensorSpec, flatten, leaves  # noqa: E402


def case_of(outputs):
    inputs = []
    tree = flatten([torch.randn(8)], inputs)
    truth = [torch.ones(outputs)]
    wanted = leaves(flatten(truth, []))
    return Case(
        "natural", tree, inputs, inputs, wanted, truth, 1, 1.0, 0.0, [TensorSpec.of(t) for t in truth]
    )


def test_a_call_whose_outputs_are_larger_than_those_of_the_first_gets_larger_buffers():
    orders = []
    channel = SimpleNamespace(order=lambda *order: orders.append(order[0]["op"]), item=lambda *order: "reply")
    reference = SimpleNamespace(device=torch.device("cpu"), weights=dict, init_arguments=[])
    session = Session(channel, reference, PROFILES["quick"], lambda frozen: None, lane_shares=False)
    session.open(case_of(8))
    session.run(case_of(8))
    assert orders == ["open"]
    result = session.run(case_of(1_000_000))
    assert orders == ["open", "open"]
    assert result.outputs[0].shape == (1_000_000,)
    assert result.guards_intact


@pytest.mark.parametrize("stops", [True, False])
def test_processes_that_work_on_when_they_are_to_stop_are_remembered(stops):
    held = []

    def hold(frozen):
        held.append(frozen)
        return stops or not frozen

    reference = SimpleNamespace(device=torch.device("cpu"))
    session = Session(None, reference, PROFILES["quick"], hold, lane_shares=False)
    for _ in range(2):
        with session.frozen():
            assert held[-1]
    assert held == [True, False, True, False]
    assert session.always_froze is stops
