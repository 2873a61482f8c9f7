"""What contradicts a candidate's times, and what a busy host explains."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

pytest.importorskip("torch")

import torch

from eval_app.engine.judge.clock.measurement import Measurement
from eval_app.engine.judge.clock.order_timing import Claim, OrderCost, OrderTiming
from eval_app.engine.judge.values.unvaried import find
from eval_app.engine.judge.verdicts import RejectedError

ORDERS = OrderTiming(OrderCost(0.3, 0.0), calls=100, reference=[0.2] * 4, candidate=[0.2] * 4)
CLAIM_MS = 0.04


def measurement(device="cpu"):
    maker = SimpleNamespace(reference=SimpleNamespace(device=torch.device(device)))
    return Measurement({}, None, None, maker, None, lambda: 0.0, seeded=False)


def timer(*processor_ms, alone_ms=0.2):
    """Return a stand-in for the timer, whose orders take so much processor time per call, one after the other; orders
    of one call take `alone_ms`."""
    spent = iter(processor_ms)
    return SimpleNamespace(
        processor_ms=lambda busy_s: next(spent),
        time_alone=lambda orders: orders.lone_candidate.extend([alone_ms] * 3),
    )


@pytest.mark.parametrize("spent_ms", [(0.04,), (0.2, 0.05), (0.2, 0.2, 0.07)])
def test_one_order_of_little_processor_time_shows_that_the_host_was_busy(spent_ms):
    measurement()._reject_unless_explained(timer(*spent_ms), ORDERS, CLAIM_MS)


def test_a_claim_that_no_order_supports_is_a_cheat():
    with pytest.raises(RejectedError, match=r"claims 0\.0400 ms per call"):
        measurement()._reject_unless_explained(timer(0.2, 0.2, 0.2), ORDERS, CLAIM_MS)


def test_on_a_gpu_a_claim_that_calls_of_their_own_do_not_support_either_is_a_cheat():
    with pytest.raises(RejectedError):
        measurement("cuda")._reject_unless_explained(timer(), replace(ORDERS, lone_candidate=[]), CLAIM_MS)


def test_on_a_gpu_calls_that_are_slow_only_behind_many_others_are_no_cheat():
    orders = replace(ORDERS, lone_candidate=[])
    measurement("cuda")._reject_unless_explained(timer(alone_ms=0.05), orders, CLAIM_MS)
    assert orders.objection(Claim(CLAIM_MS, 0.2, 5.0), "cuda"), "its time is not confirmed"


@pytest.mark.parametrize(
    ("draw", "known"), [(None, True), (lambda: torch.randn(8), False), (lambda: torch.zeros(8), True)]
)
def test_no_order_confirms_what_is_known_before_it_unless_random_numbers_vary_each_result(draw, known):
    inputs = [torch.arange(8)]
    maker = SimpleNamespace(
        reference=SimpleNamespace(device=torch.device("cpu"), unvaried=find(inputs, [torch.arange(8)])),
        make=lambda: SimpleNamespace(results=[draw()]),
    )
    trials = SimpleNamespace(first=SimpleNamespace(tree={"list": [{"tensor": 0}]}, tensors=inputs))
    one = Measurement({}, None, None, maker, trials, lambda: 0.0, seeded=draw is not None)
    assert one._is_known() is known


def test_no_order_confirms_what_may_be_kept_for_rows_of_which_no_draw_varies_any():
    rows = torch.nn.functional.normalize(torch.arange(1.0, 1025).view(64, 16).sin(), dim=-1)
    inputs = [torch.cat([torch.randn(8, 16), rows])]
    unvaried = find(inputs, [torch.cat([torch.randn(8, 16), rows])])
    maker = SimpleNamespace(reference=SimpleNamespace(device=torch.device("cpu"), unvaried=unvaried))
    trials = SimpleNamespace(first=SimpleNamespace(tree={"list": [{"tensor": 0}]}, tensors=inputs))
    one = Measurement({}, None, None, maker, trials, lambda: 0.0, seeded=False)
    maker.draw = lambda family: [torch.cat([torch.randn(8, 16), rows])]
    sides = {
        "candidate": {"median_ms": 1.0},
        "baselines": {"eager": {"median_ms": 1.0}},
        "speedup": {"median": 1.0},
    }
    assert one._hold_against_orders(None, sides).startswith(
        "the same in each draw: 64 of 72 rows of inputs[0]"
    )


@pytest.mark.parametrize(("later", "announced"), [(2.5, False), (3.5, True)])
def test_no_order_confirms_a_time_where_numbers_are_drawn_which_come_with_its_announcement(later, announced):
    x, values = torch.randn(8), [torch.randn(8), torch.randn(8)]
    reference = SimpleNamespace(
        device=torch.device("cpu"), unvaried=find([values[0], 2.5], [values[1], later])
    )
    form = {"list": [{"tensor": 0}, {"float": (2.5).hex()}]}
    trials = SimpleNamespace(first=SimpleNamespace(tree=form, tensors=[x]))
    one = Measurement({}, None, None, SimpleNamespace(reference=reference), trials, lambda: 0.0, seeded=False)
    assert one._announces_numbers() is announced
