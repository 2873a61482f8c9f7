"""Tests of the second check of a time that the clock does not confirm, with constructed times."""

from types import SimpleNamespace

import pytest

pytest.importorskip("torch")

from eval_app.engine.judge import cpu_time_check

CASE = SimpleNamespace(reference_ms=2.0, overhead_ms=0.2)


def measured(wall_ms: float, spent_ms: float):
    """Return pairs of calls that take `wall_ms` by the wall clock and `spent_ms` of processor time."""
    reply = SimpleNamespace(ms=1.0, wall_ms=wall_ms, tail_ms=0.0, aliases_input=False)
    maker = SimpleNamespace(make=lambda: CASE)
    trials = SimpleNamespace(check=lambda case: SimpleNamespace(reply=reply))
    spent_s = iter(number * spent_ms / 1e3 for call in range(100) for number in (call, call + 1))
    return cpu_time_check.measure(maker, trials, lambda: next(spent_s))


@pytest.mark.parametrize(
    ("wall_ms", "spent_ms"),
    [(50.0, 1.5), (1.5, 6.0)],
    ids=["a neighbour takes the processor away", "threads beside the call"],
)
def test_a_call_lasts_as_long_as_the_lesser_of_the_two_clocks_says(wall_ms, spent_ms):
    assert measured(wall_ms, spent_ms).wall == pytest.approx([1.5] * 10)


def test_a_person_is_told_of_the_processor_time_and_of_what_the_clock_found():
    said = cpu_time_check.remark(measured(50.0, 1.5), "the clock says 50 ms")
    assert said.startswith("by processor time, 1.5000 ms")
    assert said.endswith("but the clock says 50 ms")
