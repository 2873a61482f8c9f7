"""Tests of the reference's turn at an order: on which values, and what other work on the device does to it."""

from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge import foreign_work, reference_turn  # noqa: E402
from eval_app.engine.judge.reference_turn import DisturbedError, ReferenceTurn  # noqa: E402
from eval_app.engine.judge.verdicts import ReferenceFaultError  # noqa: E402
from tests.engine.judge.test_cases import REJECTS_LARGE, maker_of_text  # noqa: E402

SIZE_BYTES = 2**20


def families_answered(source, folder):
    """Return the families of an order's calls, each of which would have other values than the task's own."""
    trials = SimpleNamespace(families=["scaled_up"])
    turn = ReferenceTurn(maker_of_text(source, folder), trials, seeded=False)
    return [call.family for call in turn.take(4, SIZE_BYTES, 1, one_by_one=False).calls]


def test_an_order_is_of_the_tasks_own_values_where_the_reference_rejects_others(tmp_path):
    assert families_answered(REJECTS_LARGE, tmp_path) == ["natural"] * 4
    assert families_answered(REJECTS_LARGE.replace("> 20", "> 200"), tmp_path) == ["scaled_up"] * 4


def test_a_reference_that_fails_in_orders_is_at_fault_and_not_the_judge(tmp_path):
    with pytest.raises(ReferenceFaultError, match="the reference failed: ValueError: too large"):
        families_answered(REJECTS_LARGE.replace("> 20", "> 0"), tmp_path)


def turn_on_device(monkeypatch, shares, copying_ms=()):
    """Return a turn on a device that others use for `shares` of its time, look by look, and the steps that it takes.

    Mocked: the device, on which copying the calls takes `copying_ms`, order by order.
    """
    steps, shares, copying_ms = [], iter(shares), iter(copying_ms)

    def drawn(*given, **options):
        steps.append("draw")
        values = torch.zeros(100, dtype=torch.uint8)
        call = SimpleNamespace(truth=[torch.zeros(100, dtype=torch.uint8)])
        return SimpleNamespace(
            calls=[call], values=values, copying_ms=next(copying_ms, 1.0), one_by_one=False
        )

    def looked(device):
        steps.append("look")
        return next(shares)

    monkeypatch.setattr(reference_turn, "draw", drawn)
    monkeypatch.setattr(reference_turn, "answer", lambda drawn, maker: steps.append("answer"))
    monkeypatch.setattr(reference_turn, "foreign_share", looked)
    maker = SimpleNamespace(reference=SimpleNamespace(device=torch.device("cuda")))
    turn = ReferenceTurn(maker, SimpleNamespace(families=[]), seeded=False)
    turn.watches = True
    return turn, steps


def test_the_device_is_looked_at_right_before_the_reference_answers_and_right_after(monkeypatch):
    turn, steps = turn_on_device(monkeypatch, [0.0, 0.0])
    turn.take(1, SIZE_BYTES, 8, one_by_one=False)
    assert steps == ["draw", "look", "answer", "look"]


def test_an_answer_after_which_others_were_at_work_counts_for_nothing(monkeypatch):
    turn, steps = turn_on_device(monkeypatch, [0.0, 0.2, 0.0, 0.0])
    turn.take(1, SIZE_BYTES, 8, one_by_one=False)
    assert steps == ["draw", "look", "answer", "look"] * 2


def test_a_device_on_which_others_work_again_and_again_is_given_up(monkeypatch):
    turn, steps = turn_on_device(monkeypatch, [0.2] * 4)
    with pytest.raises(DisturbedError, match="other work ran on the device"):
        turn.take(1, SIZE_BYTES, 8, one_by_one=False)
    assert "answer" not in steps


def test_a_device_that_others_use_anyway_is_not_looked_at(monkeypatch):
    turn, steps = turn_on_device(monkeypatch, [])
    turn.watches = False
    turn.take(1, SIZE_BYTES, 8, one_by_one=False)
    assert steps == ["draw", "answer"]


def test_copies_that_took_longer_than_those_of_another_order_take_no_more_off(monkeypatch):
    turn, _ = turn_on_device(monkeypatch, [0.0] * 6, copying_ms=[1.0, 3.0, 1.02])
    times = [turn.take(1, SIZE_BYTES, 8, one_by_one=False).copying_ms for _ in range(3)]
    assert times == pytest.approx([1.0, 1.05, 1.02])


@pytest.mark.parametrize(
    ("spans", "share", "gap"),
    [
        ([0.24] * 16, 0.0, 0.0),
        ([0.24] * 10 + [0.44] * 6, 1 - 16 * 0.24 / (10 * 0.24 + 6 * 0.44), 0.2),
        ([0.24] * 15 + [2.24], 1 - 16 * 0.24 / (16 * 0.24 + 2.0), 2.0),
    ],
    ids=["nobody else", "many short kernels", "a slice"],
)
def test_what_others_took_of_the_device_shows_as_a_share_and_as_the_longest_gap(
    monkeypatch, spans, share, gap
):
    monkeypatch.setattr(foreign_work, "_spans_ms", lambda: spans)
    device = torch.device("cuda")
    assert foreign_work.foreign_share(device) == pytest.approx(share)
    assert foreign_work.longest_gap_ms(device) == pytest.approx(gap)


def test_the_best_of_three_looks_counts(monkeypatch):
    looks = iter([[0.24] * 8 + [0.5] * 8, [0.24] * 15 + [0.5], [0.24] * 16, None])
    monkeypatch.setattr(foreign_work, "_spans_ms", lambda: next(looks))
    assert foreign_work.foreign_share(torch.device("cuda")) == pytest.approx(0)
    assert next(looks) is None


def test_nobody_looks_at_a_cpu():
    assert (
        foreign_work.foreign_share(torch.device("cpu"))
        == foreign_work.longest_gap_ms(torch.device("cpu"))
        == 0
    )
