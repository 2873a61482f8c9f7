"""Tests of the counters that are told of a kernel: few, named, with units, and only such as the engine collects."""

import pytest

from datasets_app.profiler.counters import (
    LABELS,
    TELLING,
    Counter,
    Executed,
    executed,
    occupancy,
    telling,
)
from eval_app.engine.inspect.runtime_tools import COLLECTED
from tests.verify import reports

DRAM = "dram__throughput.avg.pct_of_peak_sustained_elapsed"


def test_each_counter_that_is_told_is_collected_and_has_words():
    assert set(TELLING) <= set(COLLECTED) & set(LABELS)
    assert set(COLLECTED) <= set(LABELS)


def test_the_telling_ones_of_a_recorded_report_are_named_with_their_units():
    found = telling(reports.full("x")["inspection"]["metrics"])
    assert [(one.label, one.value, one.unit) for one in found] == [
        ("memory throughput, of peak", 84.9, "%"),
        ("L1 hits", 12.5, "%"),
        ("occupancy reached", 71.25, "%"),
        ("registers per thread", 40.0, "register/thread"),
    ]


@pytest.mark.parametrize("value", [None, "84.9", float("nan"), True, {}])
def test_what_is_no_number_is_left_out(value):
    metrics = {DRAM: {"value": value, "unit": "%"}, "own__counter.sum": {"value": 1.0, "unit": ""}}
    assert telling(metrics) == []
    assert telling({DRAM: {"value": 1}}) == [Counter(DRAM, LABELS[DRAM], 1, "")]


@pytest.mark.parametrize(
    ("values", "blocks", "by"),
    [
        ({"registers": 4, "shared_mem": 8.0, "blocks": 32}, "4 blocks run", "registers"),
        ({"registers": 2, "shared_mem": 2}, "2 blocks run", "registers and shared memory"),
        ({"shared_mem": 1, "registers": None}, "1 block runs", "shared memory"),
    ],
)
def test_what_limits_the_occupancy_is_said_in_a_sentence(values, blocks, by):
    metrics = {f"launch__occupancy_limit_{name}": {"value": n} for name, n in values.items()}
    assert occupancy(metrics) == f"At most {blocks} on a multiprocessor at once, limited by {by}."


def test_a_limit_that_was_not_measured_is_not_said():
    assert occupancy({}) == occupancy({"launch__occupancy_limit_registers": {"value": None}}) == ""


def counted(**executed):
    """Return the counters of executed instructions; those that are not given were counted and are 0."""
    names = dict.fromkeys(("fadd", "fmul", "ffma", "dadd", "dmul", "dfma"), 0) | executed
    return {
        f"smsp__sass_thread_inst_executed_op_{name}_pred_on.sum": {"value": n} for name, n in names.items()
    }


def test_a_multiply_add_is_two_operations_and_precisions_are_apart():
    assert executed(counted(fadd=10, fmul=5, ffma=100, dadd=1, dfma=3)) == Executed(single=215, double=7)
    assert executed(counted()) == Executed(single=0, double=0)


@pytest.mark.parametrize("metrics", [{}, counted(dfma=None), counted(fadd=float("nan"))])
def test_what_was_not_counted_in_full_is_no_count(metrics):
    assert executed(metrics) is None
