"""A judge's timing as the report holds it: with the device's state, on a roofline, no pair timed at a low clock."""

from __future__ import annotations

from typing import Any

from eval_app.engine.contract import schema
from eval_app.engine.contract.evidence import Timing
from eval_app.engine.contract.jobs import Finding, Severity
from eval_app.engine.contract.schema import ContractError
from eval_app.engine.hardware import device_peaks, telemetry
from eval_app.engine.judge import statistics
from eval_app.engine.orchestrator.baselines import Baselines

_KEPT_PAIRS_MIN = 5
_MAX_PAIRS = 10_000
_MAX_NUMBER = 1e12
# A time under the roofline by more than this share is for a person to look at: the task's inputs may honestly be
# skipped, its operations be saved by algebra, and its counts be of work that nobody needs.
_SLACK = 0.1


def read(
    timing: dict[str, Any],
    samples: list[telemetry.Sample],
    state: dict[str, Any],
    peak: device_peaks.Peaks | None,
) -> Timing:
    """The judge's word, checked. `state` is what the device says where nothing was sampled."""
    form = dict(timing)
    pairs, facts = _pairs(form.pop("pairs", None)), form.pop("facts", None)
    moments = pairs["at_s"]
    device_state = (
        telemetry.summary(samples, min(moments), max(moments)) if samples and moments else dict(state)
    )
    form["device_state"] = device_state
    schema.read(Timing, form, "timing")
    low = telemetry.low_clock(samples, moments)
    if any(low) and low.count(False) >= _KEPT_PAIRS_MIN:
        form |= _without(pairs, low, form)
        device_state["dropped_pairs"] = sum(low)
    elif moments and samples:
        device_state["dropped_pairs"] = 0
    result = schema.read(Timing, form, "timing")
    if peak is None or not isinstance(facts, dict):
        return result
    form["roofline"] = device_peaks.roofline(_facts(facts), peak, result.candidate.median_ms)
    return schema.read(Timing, form, "timing")


def _pairs(pairs: Any) -> dict[str, list[float]]:
    """Three lists of one length, or three empty ones."""
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
    """The same figures from the pairs that were timed at the run's own clock."""
    reference = [value for value, out in zip(pairs["reference"], low, strict=True) if not out]
    candidate = [value for value, out in zip(pairs["candidate"], low, strict=True) if not out]
    return {
        "candidate": statistics.spread(candidate),
        "baselines": {**form.get("baselines", {}), "eager": statistics.spread(reference)},
        "speedup": statistics.speedup(reference, candidate),
    }


def _facts(facts: dict[str, Any]) -> dict[str, Any]:
    """Counts of a task, as numbers."""
    moved, flops = facts.get("bytes"), facts.get("flops")
    if isinstance(moved, bool) or not isinstance(moved, int) or not 0 <= moved < 2**62:
        raise ContractError("timing.facts.bytes must be a count")
    if flops is not None and (
        isinstance(flops, bool) or not isinstance(flops, int) or not 0 <= flops < 2**62
    ):
        raise ContractError("timing.facts.flops must be a count")
    return {"bytes": moved, "flops": flops, "arithmetic": str(facts.get("arithmetic", ""))[:10]}


def with_baselines(timing: Timing, baselines: Baselines) -> Timing:
    """The timing with further baselines."""
    form = schema.to_json(timing)
    form["baselines"] |= schema.to_json(baselines.spreads)
    form |= {"baselines_missing": baselines.missing, "baselines_reused": baselines.reused}
    return schema.read(Timing, form, "timing")


def beyond_roofline(timing: Timing) -> Finding | None:
    """For a person to look at: less time than the task's own bytes or operations take at the device's peak."""
    line = timing.roofline
    if line is None or line.fraction <= 1 + _SLACK:
        return None
    counted = (
        f"{line.bytes / 1e6:.4g} MB" if line.bound == "memory" else f"{(line.flops or 0) / 1e9:.4g} GFLOP"
    )
    text = (
        f"{timing.candidate.median_ms:.4g} ms a call is below the {line.floor_ms:.4g} ms that {counted} take at "
        f"{line.peaks}: honest where inputs are skipped, operations are saved by algebra or another arithmetic is used"
    )
    return Finding("beyond_roofline", Severity.AUDIT, text)
