"""Measures the cost of an order of many calls on a lane beyond its calls, now and then, with a kernel of the engine's
own: a host may be busier than it was, or have been busy then."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from eval_app.engine.build.request import BuildRequest
from eval_app.engine.contract.jobs import Job
from eval_app.engine.contract.profiles import PROFILES
from eval_app.engine.orchestrator.attempt import Attempt
from eval_app.engine.orchestrator.lane import Lane

# Hardly any work: what differs between two processes by the size of their data is no cost of the order.
_PROGRAM = """import torch


class {name}(torch.nn.Module):
    def forward(self, x):
        return x + 1


def get_inputs():
    return [torch.rand(1024)]


def get_init_inputs():
    return []
"""
_FIGURES = ("ms", "noise_ms", "turn_ms", "turn_noise_ms", "gate_ms", "gap_ms")
_PROFILE = replace(
    PROFILES["quick"], name="order-cost", trials=1, repeats=1, families=[], timings_min=5, timings_max=10,
    warmup_calls=5, warmup_s=0.02, reweigh=False, admission=False,
)  # fmt: skip
# How long figures serve, those taken while others used the device, and those that refused a candidate its time.
_SERVE_S, _SHARED_S, _DOUBTFUL_S = 600.0, 60.0, 20.0
# The judge's `foreign_work.FOREIGN_MS`, which cannot be imported without torch.
SHARED_GAP_MS = 0.5
_JOB = Job("order-cost", _PROGRAM.format(name="Model"), _PROGRAM.format(name="ModelNew"), profile=_PROFILE)


def refresh(lane: Lane, cancelled: Callable[[], bool]) -> None:
    """Measure where the lane has no figures that still serve. If there is no answer, those it has serve on, and the
    next job asks again.

    The caller holds the lane. Raises HostLostError if the lane breaks.
    """
    cost = lane.order_cost
    serve_s = _SHARED_S if cost and cost["gap_ms"] >= SHARED_GAP_MS else _SERVE_S
    if cost is None or time.monotonic() - lane.order_cost_at_s > serve_s:
        found = measure(lane, cancelled) or measure(lane, cancelled)
        if found:
            lane.order_cost, lane.order_cost_at_s = found, time.monotonic()


def doubt(lane: Lane, verdict: Mapping[str, Any]) -> None:
    """Let figures that are not fresh serve no longer if they refused a candidate its time: the host may have been busy
    then."""
    timing = verdict.get("timing")
    # None, or another's than the judge's own: a reference may have sent the verdict.
    if not isinstance(timing, dict):
        return
    refused = bool(timing.get("orders") and timing.get("unconfirmed"))
    if refused and time.monotonic() - lane.order_cost_at_s > _DOUBTFUL_S:
        forget(lane)


def of_a_shared_device(lane: Lane) -> dict[str, float]:
    """Return the lane's figures as they are where others use its device."""
    return (lane.order_cost or {}) | {"gap_ms": SHARED_GAP_MS}


def forget(lane: Lane) -> None:
    """Have the figures measured again before the next job."""
    lane.order_cost_at_s = -math.inf


def measure(lane: Lane, cancelled: Callable[[], bool]) -> dict[str, float]:
    """Return `ms` and `noise_ms` of an order, the same of the turn in which a call is handed over after another, its
    `gate_ms`, and the longest `gap_ms` on an idle device; empty if there is no answer.

    The caller holds the lane. Raises HostLostError if the lane breaks.
    """
    facts = lane.facts() | {"order_cost": None, "admission": {}, "inspect": False, "measures_cost": True}
    attempt = Attempt(
        _JOB, lane.rotation, facts=facts, on_stage=_no_stage, cancelled=cancelled, resolve=_builds_nothing
    )
    cost: dict[str, Any] = ((attempt.run().verdict or {}).get("timing") or {}).get("order_cost") or {}
    return {name: float(cost[name]) for name in _FIGURES} if cost else {}


def _no_stage(stage: str, message: str) -> None:
    """Ignore the stage."""


def _builds_nothing(request: BuildRequest) -> dict[str, Any]:
    return {"failed": f"{request.name} is not part of this measurement"}
