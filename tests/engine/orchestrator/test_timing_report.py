"""Tests of a judge's timing, which is untrusted: validated, compared with the clocks, put on a roofline."""

import pytest

from eval_app.engine.contract import schema
from eval_app.engine.contract.evidence import Spread, Timing
from eval_app.engine.contract.jobs import Severity
from eval_app.engine.contract.schema import ContractError
from eval_app.engine.hardware.device_peaks import Peaks
from eval_app.engine.hardware.telemetry import Sample
from eval_app.engine.judge.clock.statistics import median, speedup, spread
from eval_app.engine.orchestrator import timing_report
from eval_app.engine.orchestrator.baselines import Baselines

H200 = Peaks(4.8e12, {"fp32": 67e12}, "datasheet")
REFERENCE = [2.0] * 8 + [4.0] * 2
CANDIDATE = [1.0] * 8 + [4.0] * 2


def told(**changes):
    """Return a judge's message; the last two of ten pairs took longer."""
    return {
        "candidate": spread(CANDIDATE), "baselines": {"eager": spread(REFERENCE)},
        "speedup": speedup(REFERENCE, CANDIDATE), "method": "", "wall_ms": median(CANDIDATE), "floor_ms": 0.0,
        "pairs": {"at_s": [float(second) for second in range(10)], "reference": REFERENCE, "candidate": CANDIDATE},
        "facts": {"bytes": 2_400_000_000, "flops": 0, "arithmetic": "fp32"},
    } | changes  # fmt: skip


def clocks(*megahertz):
    return [Sample(float(second), {"sm_mhz": clock}) for second, clock in enumerate(megahertz)]


def test_pairs_timed_at_a_low_clock_are_left_out_and_counted():
    timing = timing_report.read(told(), clocks(*[1980] * 8, 600, 600), {}, None)
    assert timing.device_state["dropped_pairs"] == 2
    assert timing.candidate.n == 8
    assert timing.candidate.p90_ms == 1.0
    assert timing.speedup.low == timing.speedup.median == 2.0


def test_pairs_stay_where_the_speedup_is_larger_without_those_at_a_low_clock():
    """Orders confirmed that of all pairs, and a candidate can draw power in those that it wants to be left out."""
    candidate = [0.5] * 5 + [1.0] * 5
    changes = {
        "candidate": spread(candidate),
        "baselines": {"eager": spread([1.0] * 10)},
        "speedup": speedup([1.0] * 10, candidate),
        "pairs": {
            "at_s": [float(second) for second in range(10)],
            "reference": [1.0] * 10,
            "candidate": candidate,
        },
    }
    timing = timing_report.read(told(**changes), clocks(*[1980] * 6, *[600] * 4), {}, None)
    assert timing.device_state["dropped_pairs"] == 0
    assert timing.candidate.n == 10


def test_at_a_steady_clock_every_pair_stays():
    timing = timing_report.read(told(), clocks(*[1980] * 10), {}, None)
    assert timing.device_state["dropped_pairs"] == 0
    assert timing.candidate.n == 10


def test_a_device_that_was_not_sampled_tells_what_it_is_now():
    assert timing_report.read(told(), [], {"load_1m": 0.5, "cores": 2}, None).device_state == {
        "load_1m": 0.5,
        "cores": 2,
    }


def test_operations_outside_products_are_told_and_move_no_floor():
    facts = {
        "bytes": 2_400_000_000,
        "flops": 0,
        "arithmetic": "fp32",
        "other_flops": 10**15,
        "double_flops": 10**14,
        "uncounted": ["topk"],
    }
    line = timing_report.read(told(facts=facts), [], {}, H200).roofline
    assert line.double_flops == 10**14
    assert (line.other_flops, line.uncounted, line.flops_per_s) == (10**15, ["topk"], 67e12)
    assert (line.bound, line.floor_ms) == ("memory", 0.5)


def test_the_roofline_says_how_near_the_candidate_came():
    line = timing_report.read(told(), [], {}, H200).roofline
    assert (line.bound, line.floor_ms, line.fraction) == ("memory", 0.5, 0.5)


@pytest.mark.parametrize(
    "change",
    [
        {"pairs": {"at_s": [0.0], "reference": [1.0, 2.0], "candidate": [1.0]}},
        {"pairs": {"at_s": [0.0], "reference": [1.0], "candidate": ["1"]}},
        {"pairs": {"at_s": [0.0], "reference": [-1.0], "candidate": [1.0]}},
        {"facts": {"bytes": -1, "flops": None}},
        {"facts": {"bytes": "many", "flops": None}},
        {"facts": {"bytes": 1, "flops": None, "other_flops": -1}},
        {"facts": {"bytes": 1, "flops": 1, "other_flops": True}},
        {"facts": {"bytes": 1, "flops": 1, "uncounted": ["topk"] * 21}},
        {"facts": {"bytes": 1, "flops": 1, "uncounted": "topk"}},
        {"baselines": {}},
        {"surprise": 1},
    ],
)
def test_what_does_not_hold_is_refused(change):
    with pytest.raises(ContractError):
        timing_report.read(told(**change), [], {}, H200)


def test_faster_than_the_roofline_is_for_a_person_to_look_at():
    timing = timing_report.read(
        told(facts={"bytes": 48_000_000_000, "flops": 0, "arithmetic": "fp32"}), [], {}, H200
    )
    finding = timing_report.beyond_roofline(timing)
    assert finding.severity is Severity.AUDIT
    assert "4.8e+04 MB" in finding.detail
    assert timing_report.beyond_roofline(timing_report.read(told(), [], {}, H200)) is None


def test_further_baselines_stand_beside_eager():
    found = Baselines(
        {"compile": Spread(1.0, 0.9, 1.1, 20)}, {"cudagraph": "a CPU has no CUDA graphs"}, ["compile"]
    )
    timing = timing_report.with_baselines(timing_report.read(told(), [], {}, None), found)
    assert set(timing.baselines) == {"eager", "compile"}
    assert schema.read(Timing, schema.to_json(timing), "timing") == timing


def test_a_baseline_is_there_or_missing_and_not_both():
    found = Baselines({"compile": Spread(1.0, 0.9, 1.1, 20)}, {"compile": "too slow"})
    with pytest.raises(ContractError, match="missing"):
        timing_report.with_baselines(timing_report.read(told(), [], {}, None), found)
