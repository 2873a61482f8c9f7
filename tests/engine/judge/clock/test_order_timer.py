"""Tests of the timer of orders: how many calls it puts into one, and of which values."""

from contextlib import nullcontext
from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.clock import order_timer  # noqa: E402
from eval_app.engine.judge.clock.order_timer import OrderTimer  # noqa: E402
from eval_app.engine.judge.clock.order_timing import Claim, OrderCost  # noqa: E402
from eval_app.engine.shared.trees import TensorSpec  # noqa: E402


def timer_of(values, tree):
    """Return a timer of calls on `values`, whose arguments have the form `tree`."""
    case = SimpleNamespace(reference_ms=0.01, tensors=values, truth=values, tree=tree)
    maker = SimpleNamespace(make=lambda: case, reference=SimpleNamespace(device=torch.device("cpu")))
    session = SimpleNamespace(room_bytes=lambda: 2**40, make_room=lambda size: None)
    return OrderTimer(session, maker, SimpleNamespace(shares_input=lambda output: False), None, seeded=False)


@pytest.mark.parametrize(("tensors", "calls"), [(1, 128), (16, 128), (300, 6), (5000, 1)])
def test_orders_of_calls_with_very_many_tensors_are_shorter(tensors, calls):
    values = [torch.ones(4)] * tensors
    assert timer_of(values, {"list": [{"tensor": n} for n in range(tensors)]})._count(0.01) == calls


@pytest.mark.parametrize(("numbers", "calls"), [(10, 128), (20_000, 12), (300_000, 1)])
def test_orders_of_calls_with_long_lists_fit_a_message(numbers, calls):
    assert timer_of([torch.ones(4)], {"list": [{"int": "1000"}] * numbers})._count(0.01) == calls


def test_processor_time_begins_when_the_candidate_has_read_what_to_call():
    timer, spent = timer_of([torch.ones(4)], {"tensor": 0}), [0.0]

    def order(count, *, staged):
        spent[0] += 5.0  # to read long arguments
        staged()
        spent[0] += 0.2
        return SimpleNamespace(copying_ms=0.0, calls=[None] * 2), None

    timer._round = order
    assert timer.processor_ms(lambda: spent[0]) == pytest.approx(100.0)


@pytest.mark.parametrize(
    ("count", "families", "drawn", "made"),
    [(1, ["spikes"], 1, [(1, 1)]), (1, ["spikes"], 0, []), (8, ["spikes"], 1, []), (1, [], 1, [])],
    ids=["few calls", "not this time", "enough calls", "no family applies"],
)
def test_orders_of_few_calls_have_one_of_families_beside_them(monkeypatch, count, families, drawn, made):
    timer, rounds = timer_of([torch.ones(4)], {"tensor": 0}), []
    timer._trials = SimpleNamespace(families=families)
    timer._round = lambda count, *, every: rounds.append((count, every))
    monkeypatch.setattr(order_timer.secrets, "randbelow", lambda below: drawn)
    timer._make_unlike(count)
    assert rounds == made


CLAIM, TURN_MS = Claim(1.0, 1.0, 1.0), 0.01
COST = OrderCost(0.0, 0.0, TURN_MS)


def rounds_of(*, is_queued, alone_ms=1.0):
    """Return a timer whose orders take one millisecond a call, and two more if they are not queued, which
    `is_queued(calls)` says; and the calls of each. Calls that come one by one take `alone_ms`."""
    timer, counts = timer_of([torch.ones(4)], {"tensor": 0}), []

    def order(count, *, one_by_one=False, **options):
        counts.append(count)
        drawn = SimpleNamespace(
            calls=[None] * count, queued=True, queueing_ms=0.01, reference_ms=count, copying_ms=0.0,
            reference_each_ms=[1.0] * count, gaps=[], gaps_ms=0.0,
        )  # fmt: skip
        queued = is_queued(1 if one_by_one else count)
        window = SimpleNamespace(
            queued=queued, late=False, total_ms=count + (0 if queued else 2), copies_ms=0.0, gaps_ms=0.0, specs=[],
            each_ms=[alone_ms + TURN_MS] * count, between_each_ms=[alone_ms] * count,
            copies_each_ms=[0.0] * count,
        )  # fmt: skip
        return drawn, window

    timer._kind, timer._round, timer._trials = "cuda", order, SimpleNamespace(families=[])
    timer._count, timer._call_bytes = (lambda claim_ms: 100), 32
    return timer, counts


def test_calls_that_wait_for_the_device_share_what_their_order_costs():
    timer, counts = rounds_of(is_queued=lambda count: False)
    timing = timer.measure(Claim(1.02, 1.0, 0.98), OrderCost(0.0, 0.0), 1.0)
    assert counts[:4] == [16, 4, 1, 100]
    assert timing.candidate_ms == pytest.approx(1.02)
    assert not timing.queued
    assert timing.lone_candidate == [3.0, 3.0, 3.0], "a batch in all other orders would not show"
    assert "in an order of its own" in timing.objection(Claim(1.02, 1.0, 0.98), "cuda")


@pytest.mark.parametrize(("strides", "own_ms"), [((64, 4), 5.0), ((16, 1), 7.0), ((64, 2), 7.0)])
def test_what_gaps_add_to_copying_is_taken_off_for_those_of_the_reference_alone(strides, own_ms):
    """A reference that gives out every fourth number is dearer to copy than dense results of the same numbers."""
    gaps = [TensorSpec((8, 16), "float32", (64, 4))]
    drawn = SimpleNamespace(copying_ms=2.0, gaps=gaps, gaps_ms=2.0)
    window = SimpleNamespace(total_ms=10.0, copies_ms=1.0, specs=[TensorSpec((8, 16), "float32", strides)])
    assert OrderTimer._own_ms(drawn, window) == own_ms


@pytest.mark.parametrize(("launched_ms", "reported"), [(1.5, 1.5), (0.5, None)])
def test_a_call_that_takes_less_with_its_launch_than_without_has_no_such_time(launched_ms, reported):
    """As if all calls were made as one batch where the gate is open already."""
    timer, _ = rounds_of(is_queued=lambda count: True)
    drawn = SimpleNamespace(calls=[None] * 10, copying_ms=0.0, gaps=[], gaps_ms=0.0)
    window = SimpleNamespace(total_ms=10 * launched_ms, copies_ms=0.0, specs=[])
    timer._round = lambda count, *, ahead: (drawn, window)
    assert timer._launched_ms(10, COST, 1.0) == reported


@pytest.mark.parametrize(("alone_ms", "objection"), [(1.0, ""), (2.5, "one by one a call takes 2.5000 ms")])
def test_calls_come_one_by_one_as_well_where_orders_bear_a_claim_out(alone_ms, objection):
    timer, counts = rounds_of(is_queued=lambda count: True, alone_ms=alone_ms)
    timing = timer.measure(CLAIM, COST, 1.0)
    assert len(timing.handover.candidate) == 31, "the candidate's context takes the device over in the first"
    assert objection in timing.objection(CLAIM, "cuda")
    assert bool(objection) is bool(timing.objection(CLAIM, "cuda"))
    assert counts.count(32) == (8 if objection else 1), "what is not confirmed is measured again"


def test_calls_that_wait_for_the_device_when_they_come_one_by_one_confirm_nothing():
    timer, counts = rounds_of(is_queued=lambda count: count > 1)
    timing = timer.measure(CLAIM, COST, 1.0)
    assert counts[-8:] == [32, 16, 8, 4, 2, 2, 2, 2], "an order of fewer calls may be queued"
    assert "were not queued" in timing.objection(CLAIM, "cuda")


@pytest.mark.parametrize("call_bytes", [16 * 2**20 + 1, 64 * 2**20])
def test_calls_of_large_tensors_are_made_alone_in_orders_of_their_own(call_bytes):
    timer, _ = rounds_of(is_queued=lambda count: True)
    timer._call_bytes = call_bytes
    timing = timer.measure(CLAIM, COST, 1.0)
    assert timing.handover is None
    assert len(timing.lone_candidate) == 3


@pytest.mark.parametrize(("late", "made"), [([False], 1), ([True, False], 2), ([True] * 3, 3)])
def test_an_order_that_a_busy_host_was_too_slow_to_queue_is_made_anew(monkeypatch, late, made):
    timer, left = timer_of([torch.ones(4)], {"tensor": 0}), list(late)
    drawn = SimpleNamespace(calls=[None])
    timer._session = SimpleNamespace(frozen=nullcontext)
    timer._reference_turn = SimpleNamespace(take=lambda *args, **options: drawn)
    timer._line = SimpleNamespace(run=lambda *args, **options: SimpleNamespace(late=left.pop(0)))
    checked = []
    monkeypatch.setattr(order_timer, "check_order", lambda *args: checked.append(args))
    assert timer._round(1)[1].late is late[-1]
    assert len(checked) == made, "the results of each are compared"


def rounds_that_are_late_at_first(times):
    """Return a timer whose first `times` orders the candidate answers late, and the calls of each."""
    left = [False] * times
    return rounds_of(is_queued=lambda count: left.pop() if left else True)


@pytest.mark.parametrize("times", [1, 2])
def test_a_candidate_that_answers_late_at_first_is_not_asked_for_few_calls(times):
    timer, counts = rounds_that_are_late_at_first(times)
    timing = timer.measure(CLAIM, COST, 1.0)
    assert counts[: times + 1] == [16, 4, 1][: times + 1]
    assert timing.calls == 100
    assert len(timing.handover.candidate) == 31


def test_one_that_pretends_to_wait_for_the_device_has_its_calls_handed_over():
    timer, _ = rounds_that_are_late_at_first(3)
    timing = timer.measure(CLAIM, COST, 1.0)
    assert not timing.lone_candidate
    assert timing.handover.candidate


def test_where_launches_fill_the_queue_there_are_as_many_calls_as_were_queued():
    timer, counts = rounds_of(is_queued=lambda count: count <= 9)
    timing = timer.measure(CLAIM, COST, 1.0)
    assert counts[:8] == [16, 4, 8, 16, 8, 16, 8, 8]
    assert timing.calls == 8
