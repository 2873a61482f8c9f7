"""The timing of a report, from a judge's timing: with device state and roofline, without pairs at a low clock."""

from __future__ import annotations

from typing import Any

from eval_app.engine.contract import schema
from eval_app.engine.contract.evidence import Timing
from eval_app.engine.contract.jobs import Finding, Severity
from eval_app.engine.contract.schema import ContractError
from eval_app.engine.hardware import device_peaks, telemetry
from eval_app.engine.judge.clock import statistics
from eval_app.engine.orchestrator.baselines import Baselines

_KEPT_PAIRS_MIN = 5
# How much larger the speedup may be without the pairs at a low clock, which slows both sides alike.
_GAINED = 1.02
_MAX_PAIRS = 10_000
_MAX_NUMBER = 1e12
# A time below the roofline by more than this share is reported for a person to check: the task may honestly
# skip inputs, save operations by algebra, or not need all counted work.
_SLACK = 0.1


def read(
    timing: dict[str, Any],
    samples: list[telemetry.Sample],
    state: dict[str, Any],
    peak: device_peaks.Peaks | None,
) -> Timing:
    """Validate a judge's timing. `state` is the device's state if there are no samples."""
    form = dict(timing)
    pairs, facts = _pairs(form.pop("pairs", None)), form.pop("facts", None)
    moments = pairs["at_s"]
    device_state = (
        telemetry.summary(samples, min(moments), max(moments)) if samples and moments else dict(state)
    )
    form["device_state"] = device_state
    schema.read(Timing, form, "timing")
    low = telemetry.low_clock(samples, moments)
    if moments and samples:
        device_state["dropped_pairs"] = 0
    if any(low) and low.count(False) >= _KEPT_PAIRS_MIN:
        others = _without(pairs, low, form)
        # What the orders confirmed is the speedup of all pairs: a candidate can choose which meet a low clock.
        if others["speedup"]["median"] <= _GAINED * form["speedup"]["median"]:
            form |= others
            device_state["dropped_pairs"] = sum(low)
    result = schema.read(Timing, form, "timing")
    if peak is None or not isinstance(facts, dict):
        return result
    form["roofline"] = device_peaks.roofline(_facts(facts), peak, result.candidate.median_ms)
    return schema.read(Timing, form, "timing")


def _pairs(pairs: Any) -> dict[str, list[float]]:
    """Return three lists of equal length, possibly empty."""
    names = ("at_s", "reference", "candidate")
    lists = [pairs.get(name) if isinstance(pairs, dict) else None for name in names]
    if not all(isinstance(values, list) and len(values) <= _MAX_PAIRS for values in lists):
        return {name: [] for name in names}
    numbers = [[float(v) for v in values if _is_number(v)] for values in lists if values is not None]
    if len({len(values) for values in numbers}) != 1 or min(map(len, numbers)) != len(lists[0] or []):
        raise ContractError("timing.pairs must be lists of numbers of one length")
    if any(value <= 0 for values in numbers[1:] for value in values):
        raise ContractError("timing.pairs must be positive")
    return dict(zip(names, numbers, strict=True))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _MAX_NUMBER


def _without(pairs: dict[str, list[float]], low: list[bool], form: dict[str, Any]) -> dict[str, Any]:
    """Return the same figures without the pairs that were timed at a low clock."""
    reference = [value for value, out in zip(pairs["reference"], low, strict=True) if not out]
    candidate = [value for value, out in zip(pairs["candidate"], low, strict=True) if not out]
    return {
        "candidate": statistics.spread(candidate),
        "baselines": {**form.get("baselines", {}), "eager": statistics.spread(reference)},
        "speedup": statistics.speedup(reference, candidate),
    }


def _facts(facts: dict[str, Any]) -> dict[str, Any]:
    """Validate the counts of a task."""
    moved = facts.get("bytes")
    if not _is_count(moved):
        raise ContractError("timing.facts.bytes must be a count")
    for name in ("flops", "other_flops", "double_flops"):
        if facts.get(name) is not None and not _is_count(facts[name]):
            raise ContractError(f"timing.facts.{name} must be a count")
    return {
        "bytes": moved, "flops": facts.get("flops"), "other_flops": facts.get("other_flops"),
        "double_flops": facts.get("double_flops"),
        "uncounted": facts.get("uncounted", []),  # read with the rest of the roofline
        "arithmetic": str(facts.get("arithmetic", ""))[:10],
    }  # fmt: skip


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**62


def with_baselines(timing: Timing, baselines: Baselines) -> Timing:
    """Return the timing with the baselines added."""
    form = schema.to_json(timing)
    form["baselines"] |= schema.to_json(baselines.spreads)
    form |= {"baselines_missing": baselines.missing, "baselines_reused": baselines.reused}
    return schema.read(Timing, form, "timing")


def beyond_roofline(timing: Timing) -> Finding | None:
    """Return a finding if the time is less than the task's bytes or operations take at the device's peak."""
    line = timing.roofline
    if line is None or line.fraction <= 1 + _SLACK:
        return None
    counted = (
        f"{line.bytes / 1e6:.4g} MB" if line.bound == "memory" else f"{(line.flops or 0) / 1e9:.4g} GFLOP"
    )
    text = (
        f"{timing.candidate.median_ms:.4g} ms per call is below the {line.floor_ms:.4g} ms that {counted} take at "
        f"{line.peaks}: honest if inputs are skipped, operations are saved by algebra or another arithmetic is used"
    )
    return Finding("beyond_roofline", Severity.AUDIT, text)
