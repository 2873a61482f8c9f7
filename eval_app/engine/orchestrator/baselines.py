"""Baselines besides eager: measured once per task, stored on disk, and reused.

A stored result includes eager's median at that time. A later job always measures eager again together with
its candidate; the stored times are scaled by the ratio of the two medians, and measured again if that ratio
is off by more than a few percent, because then the machine has changed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from eval_app.engine.contract import schema
from eval_app.engine.contract.evidence import Spread
from eval_app.engine.contract.jobs import Job
from eval_app.engine.contract.schema import ContractError
from eval_app.engine.orchestrator.lane import Lane
from eval_app.engine.orchestrator.queries import NoAnswerError, Queries
from eval_app.engine.orchestrator.task_store import TaskStore

MODES = ("compile", "max-autotune", "cudagraph")
# Tolerated change of eager's median; a host's processors are shared, a GPU is not. Shorter calls differ by up to 6 %
# between processes, by where their tensors lie (`timing_repeatability`).
_MOVED = {"cuda": 0.05, "cpu": 0.25}
_SHORT_MS, _MOVED_SHORT = 0.02, 0.1
# Minimum time limit for compiling on a CPU, since the host may be busy.
_CPU_COMPILE_S = 120.0


@dataclass
class Baselines:
    """Baselines of a report's timing: spreads by mode, reasons for missing ones, and which are from an earlier run."""

    spreads: dict[str, Spread] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    reused: list[str] = field(default_factory=list)


def gather(
    job: Job, lane: Lane, eager_ms: float, store: TaskStore, cancelled: Callable[[], bool]
) -> Baselines:
    """Return all baselines that the job's profile requests. The caller holds the lane. Raises HostLostError
    if the zygote breaks."""
    baselines, device_kind = Baselines(), lane.device.kind
    with lane.queries() as queries:
        for mode in job.profile.baselines:
            why_not = _never(mode, device_kind, job.profile.baseline_timeout_s)
            if why_not:
                baselines.missing[mode] = why_not
                continue
            answer = store.find("baseline", mode, job.reference)
            if answer is not None and _holds(answer, eager_ms, device_kind, job.profile.baseline_timeout_s):
                baselines.reused += [mode] if "mode" in answer else []
            else:
                answer = _measure(mode, job, queries, cancelled)
                if not cancelled():
                    store.keep(answer, "baseline", mode, job.reference)
            _take(baselines, mode, answer, eager_ms)
    return baselines


def _never(mode: str, device: str, timeout_s: float) -> str:
    """Return why a mode is not supported here; empty if it is."""
    if mode not in MODES:
        return f"unknown mode; the modes are {', '.join(MODES)}"
    if device == "cpu" and mode == "cudagraph":
        return "a CPU has no CUDA graphs"
    if device == "cpu" and timeout_s < _CPU_COMPILE_S:
        return f"on a CPU it is measured only with a baseline_timeout_s of at least {_CPU_COMPILE_S:g} (thorough)"
    return ""


def _holds(answer: dict[str, Any], eager_ms: float, device: str, timeout_s: float) -> bool:
    """Return whether a stored result is valid: eager has not changed, or a failed mode has no more time now
    than then."""
    try:
        if "mode" in answer:
            stored_ms = float(answer["eager"]["median_ms"])
            tolerated = max(_MOVED[device], _MOVED_SHORT if stored_ms < _SHORT_MS else 0.0)
            return abs(eager_ms / stored_ms - 1) <= tolerated
        return float(answer.get("within_s", timeout_s)) >= timeout_s
    except (KeyError, TypeError, ValueError, ZeroDivisionError):
        return False


def _measure(mode: str, job: Job, queries: Queries, cancelled: Callable[[], bool]) -> dict[str, Any]:
    profile = job.profile
    order = {
        "query": "baseline", "mode": mode, "reference": job.reference, "profile": schema.to_json(profile),
    }  # fmt: skip
    try:
        answer = queries.ask(order, profile.baseline_timeout_s, profile.memory_bytes, cancelled)
        return _checked(answer)
    except NoAnswerError as error:
        return {"missing": str(error)[:300], "within_s": profile.baseline_timeout_s}
    except ContractError as error:
        return {"missing": f"the measuring process gave no valid answer: {error}"[:300]}


def _checked(answer: dict[str, Any]) -> dict[str, Any]:
    """Validate the answer of a judge, which ran imported code, before it is stored."""
    if "missing" in answer:
        text = "".join(char if char.isprintable() else " " for char in str(answer["missing"]))
        return {"missing": text[:300] or "no reason was given"}
    spreads = {name: schema.read(Spread, answer.get(name), name) for name in ("eager", "mode")}
    return {name: schema.to_json(spread) for name, spread in spreads.items()}


def _take(baselines: Baselines, mode: str, answer: dict[str, Any], eager_ms: float) -> None:
    if "mode" not in answer:
        baselines.missing[mode] = str(answer.get("missing", "not measured"))[:300]
        return
    try:
        spread = schema.read(Spread, answer["mode"], mode)
        baselines.spreads[mode] = _scaled(spread, eager_ms / float(answer["eager"]["median_ms"]))
    except (ContractError, KeyError, TypeError, ValueError, ZeroDivisionError):
        baselines.missing[mode] = "the stored result cannot be read"
        baselines.reused = [name for name in baselines.reused if name != mode]


def _scaled(spread: Spread, ratio: float) -> Spread:
    return Spread(
        spread.median_ms * ratio, spread.p10_ms * ratio, spread.p90_ms * ratio, spread.n,
        [sample * ratio for sample in spread.samples_ms],
    )  # fmt: skip
