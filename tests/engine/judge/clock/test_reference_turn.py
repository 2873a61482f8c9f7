"""Tests of the reference's turn at an order: on which values, and what other work on the device does to it."""

from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.clock import reference_turn  # noqa: E402
from eval_app.engine.judge.clock.foreign_work import Watch  # noqa: E402
from eval_app.engine.judge.clock.reference_turn import ReferenceTurn  # noqa: E402
from eval_app.engine.judge.verdicts import ReferenceFaultError  # noqa: E402
from tests.engine.judge.task.test_cases import REJECTS_LARGE, maker_of_text  # noqa: E402

SIZE_BYTES = 2**20


def families_answered(source, folder):
    """Return the families of an order's calls, each of which would have other values than the task's own."""
    trials = SimpleNamespace(families=["scaled_up"])
    watch = Watch(torch.device("cpu"), alone=False)
    turn = ReferenceTurn(maker_of_text(source, folder), trials, watch, seeded=False)
    return [call.family for call in turn.take(4, SIZE_BYTES, 1, one_by_one=False).calls]


def test_an_order_is_of_the_tasks_own_values_where_the_reference_rejects_others(tmp_path):
    assert families_answered(REJECTS_LARGE, tmp_path) == ["natural"] * 4
    assert families_answered(REJECTS_LARGE.replace("> 20", "> 200"), tmp_path) == ["scaled_up"] * 4


def test_a_reference_that_fails_in_orders_is_at_fault_and_not_the_judge(tmp_path):
    with pytest.raises(ReferenceFaultError, match="the reference failed: ValueError: too large"):
        families_answered(REJECTS_LARGE.replace("> 20", "> 0"), tmp_path)


def turn_on_device(monkeypatch, looks, copying_ms=()):
    """Return a turn on a device that is quiet or not, look by look, and the steps that it takes.

    Mocked: the device, on which copying the calls takes `copying_ms`, order by order.
    """
    steps, looks, copying_ms = [], iter(looks), iter(copying_ms)

    def drawn(*given, **options):
        steps.append("draw")
        values = torch.zeros(100, dtype=torch.uint8)
        call = SimpleNamespace(truth=[torch.zeros(100, dtype=torch.uint8)])
        return SimpleNamespace(
            calls=[call], values=values, copying_ms=(took_ms := next(copying_ms, 1.0)), gaps_ms=took_ms / 2,
            one_by_one=False,
        )  # fmt: skip

    def is_quiet():
        steps.append("look")
        return next(looks)

    monkeypatch.setattr(reference_turn, "draw", drawn)
    monkeypatch.setattr(reference_turn, "answer", lambda drawn, maker, **options: steps.append("answer"))
    maker = SimpleNamespace(reference=SimpleNamespace(device=torch.device("cuda")))
    watch = SimpleNamespace(beside_others=False, is_quiet=is_quiet)
    return ReferenceTurn(maker, SimpleNamespace(families=[]), watch, seeded=False), steps


def test_the_device_is_looked_at_right_before_the_reference_answers_and_right_after(monkeypatch):
    turn, steps = turn_on_device(monkeypatch, [True, True])
    turn.take(1, SIZE_BYTES, 8, one_by_one=False)
    assert steps == ["draw", "look", "answer", "look"]


def test_an_answer_waits_until_nobody_else_is_at_work(monkeypatch):
    turn, steps = turn_on_device(monkeypatch, [False, True, True])
    turn.take(1, SIZE_BYTES, 8, one_by_one=False)
    assert steps == ["draw", "look", "look", "answer", "look"]


def test_an_answer_after_which_others_were_at_work_counts_for_nothing(monkeypatch):
    turn, steps = turn_on_device(monkeypatch, [True, False, True, True])
    turn.take(1, SIZE_BYTES, 8, one_by_one=False)
    assert steps == ["draw", "look", "answer", "look"] * 2


def test_copies_that_took_longer_than_those_of_another_order_take_no_more_off(monkeypatch):
    turn, _ = turn_on_device(monkeypatch, [True] * 6, copying_ms=[1.0, 3.0, 1.02])
    orders = [turn.take(1, SIZE_BYTES, 8, one_by_one=False) for _ in range(3)]
    assert [drawn.copying_ms for drawn in orders] == pytest.approx([1.0, 1.05, 1.02])
    assert [drawn.gaps_ms for drawn in orders] == pytest.approx([0.5, 0.525, 0.51])
