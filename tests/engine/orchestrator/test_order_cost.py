"""Tests of how long what an order costs on a lane serves. Mocked: the measurement itself, and the clock."""

from types import SimpleNamespace

import pytest

from eval_app.engine.orchestrator import order_cost

REFUSED = {"timing": {"orders": {"calls": 8}, "unconfirmed": "the runner's clock says 1.50 times eager"}}


@pytest.fixture
def clock(monkeypatch):
    now = SimpleNamespace(s=1000.0)
    monkeypatch.setattr(order_cost.time, "monotonic", lambda: now.s)
    return now


@pytest.fixture
def measured(monkeypatch):
    """List the figures that are still to be measured."""
    left = [{"ms": 0.1, "gap_ms": 0.0}, {"ms": 0.2, "gap_ms": 2.0}, {"ms": 0.3, "gap_ms": 0.0}]
    monkeypatch.setattr(order_cost, "measure", lambda lane, cancelled: left.pop(0))
    return left


def lane():
    return SimpleNamespace(order_cost=None, order_cost_at_s=0.0)


def test_figures_serve_for_ten_minutes_and_for_one_if_others_used_the_device(clock, measured):
    one = lane()
    for clock.s, ms in ((1000, 0.1), (1600, 0.1), (1601, 0.2), (1661, 0.2), (1662, 0.3)):
        order_cost.refresh(one, lambda: False)
        assert one.order_cost["ms"] == ms


def test_figures_that_refused_a_time_are_measured_again_unless_they_are_fresh(clock, measured):
    one = lane()
    for clock.s, ms in ((1000, 0.1), (1019, 0.1), (1040, 0.1), (1041, 0.2)):
        order_cost.refresh(one, lambda: False)
        assert one.order_cost["ms"] == ms
        order_cost.doubt(one, REFUSED)


def test_doubtful_figures_serve_on_where_there_are_no_others(clock, monkeypatch):
    answers = [{"ms": 0.1, "gap_ms": 0.0}, {}, {}]
    monkeypatch.setattr(order_cost, "measure", lambda lane, cancelled: answers.pop(0))
    one = lane()
    order_cost.refresh(one, lambda: False)
    clock.s += 100
    order_cost.doubt(one, REFUSED)
    order_cost.refresh(one, lambda: False)
    assert not answers
    assert one.order_cost["ms"] == 0.1


def test_old_figures_serve_on_where_there_are_no_others_and_each_job_asks_again(clock, monkeypatch):
    answers = [{}, {"ms": 0.1, "gap_ms": 0.0}, {}, {}, {"ms": 0.2, "gap_ms": 0.0}]
    monkeypatch.setattr(order_cost, "measure", lambda lane, cancelled: answers.pop(0))
    one = lane()
    for clock.s, ms in ((1000, 0.1), (1601, 0.1), (1602, 0.2)):
        order_cost.refresh(one, lambda: False)
        assert one.order_cost["ms"] == ms


@pytest.mark.parametrize(
    "verdict",
    [
        {},
        {"timing": None},
        {"timing": {"orders": {}, "unconfirmed": "numbers"}},
        {"timing": {"orders": {"calls": 8}}},
        {"timing": [1]},
        {"timing": "forged by a reference"},
    ],
    ids=["no time", "none measured", "no orders", "confirmed", "a list", "a text"],
)
def test_what_says_nothing_of_the_figures_leaves_them(clock, measured, verdict):
    one = lane()
    order_cost.refresh(one, lambda: False)
    clock.s += 100
    order_cost.doubt(one, verdict)
    order_cost.refresh(one, lambda: False)
    assert one.order_cost["ms"] == 0.1


def test_a_device_is_shared_for_the_orchestrator_where_it_is_for_the_judge():
    pytest.importorskip("torch")
    from eval_app.engine.judge.clock.foreign_work import FOREIGN_MS

    assert order_cost.SHARED_GAP_MS == FOREIGN_MS
