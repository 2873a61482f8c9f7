"""Timing: pairs of one reference call and one candidate call on the same fresh values, in interleaved blocks.

Every timed output is compared with the truth. What the runner says of its time is a claim: the judge's own clock
bounds it from above, the bytes that must move bound it from below.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from eval_app.engine.contract.profiles import Profile
from eval_app.engine.judge.cases import Case, CaseMaker
from eval_app.engine.judge.session import CallResult, Session
from eval_app.engine.judge.statistics import median, quantile, relative_error, speedup, spread
from eval_app.engine.judge.trials import Trials
from eval_app.engine.judge.verdicts import RejectedError

# Where a small kernel's tensors lie, and its code, moves its time by more than the clock does: so many pairs, each in
# other places, whatever the medians' error says.
_SMALL_MS = 0.02
_SMALL_PAIRS = 100
# What a message there and back may cost beyond the work that both sides do, in milliseconds.
_LINE_MS = {"cpu": 1.0, "cuda": 0.7}
# How much longer than the judge's the runner's handling of a call may take.
_HANDLING = {"cpu": 1.25, "cuda": 2.0}
# From here on a person should look: honest kernels get there too (a fused layer norm is 165 times eager).
_LARGE_SPEEDUP = 10.0
# A wait for an idle device takes this long; more, and a tenth of the call, is work outside the window.
_TAIL_MS = 0.05
_TAIL_SHARE = 0.1


@dataclass
class Pairs:
    """What was measured, in milliseconds, pair by pair."""

    reference: list[float] = field(default_factory=list)
    candidate: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    tail: list[float] = field(default_factory=list)
    overhead: list[float] = field(default_factory=list)
    # When each pair was done: time.monotonic, which all processes of a machine share.
    at_s: list[float] = field(default_factory=list)
    # Whether any output was said to lie in an input: then it need not be written, and a person is asked to look.
    aliased: bool = False

    def add(self, case: Case, result: CallResult) -> None:
        """Take in one pair."""
        self.reference.append(case.reference_ms)
        self.candidate.append(result.reply.ms)
        self.wall.append(result.reply.wall_ms)
        self.tail.append(result.reply.tail_ms)
        self.overhead.append(case.overhead_ms)
        self.at_s.append(time.monotonic())
        self.aliased |= result.reply.aliases_input

    def enough(self, profile: Profile) -> bool:
        """Whether the medians are as sure as the profile asks."""
        small = bool(self.candidate) and median(self.candidate) < _SMALL_MS
        if len(self.candidate) < (max(profile.timings_min, _SMALL_PAIRS) if small else profile.timings_min):
            return False
        return max(relative_error(self.candidate), relative_error(self.reference)) <= profile.target_error


def measure(session: Session, maker: CaseMaker, trials: Trials, profile: Profile) -> Pairs:
    """Collect pairs until they are enough, or the count or the budget is at its end."""
    _warm_up(session, maker, trials, profile)
    pairs = Pairs()
    deadline = time.perf_counter() + profile.timing_budget_s
    while len(pairs.candidate) < profile.timings_max and not pairs.enough(profile):
        if time.perf_counter() > deadline and len(pairs.candidate) >= min(profile.timings_min, 5):
            break
        block = [maker.make() for _ in range(min(session.sets, 4))]
        for case in block:
            pairs.add(case, trials.check(case))
    return pairs


def _warm_up(session: Session, maker: CaseMaker, trials: Trials, profile: Profile) -> None:
    """At least so many calls and so long, on both sides; a slow task ends it after three calls."""
    started = time.perf_counter()
    for call in range(10_000):
        elapsed_s = time.perf_counter() - started
        if (call >= profile.warmup_calls and elapsed_s >= profile.warmup_s) or (
            call >= 3 and elapsed_s > 1.0
        ):
            return
        trials.check(maker.make())


def check_clock(pairs: Pairs, device_kind: str, floor_ms: float, copying_ms: float) -> None:
    """RejectedError where the runner's times cannot be true; `copying_ms` is what its own copies may take."""
    claim, wall = median(pairs.candidate), median(pairs.wall)
    tail = median(pairs.tail)
    if tail > _TAIL_MS + _TAIL_SHARE * claim:
        text = (
            f"the device was busy {tail:.3f} ms after the call's end event (call {claim:.3f} ms): work was launched "
            "outside the timed stream"
        )
        raise RejectedError("cheated", text, [("work_after_return", text)])
    gaps = [w - c for w, c in zip(pairs.wall, pairs.candidate, strict=True)]
    allowed = (
        _HANDLING[device_kind] * median(pairs.overhead) + _LINE_MS[device_kind] + 0.5 * claim + copying_ms
    )
    if quantile(gaps, 0.1) > allowed:
        text = (
            f"the runner says {claim:.4f} ms a call; the judge's own clock says {wall:.4f} ms, and {allowed:.4f} ms "
            "is the most that handling a call can add"
        )
        raise RejectedError("cheated", text, [("clock_mismatch", text)])
    if claim < floor_ms and not pairs.aliased:
        text = f"{claim:.6f} ms a call is below {floor_ms:.6f} ms, in which the device cannot even write the output"
        raise RejectedError("cheated", text, [("below_roofline", text)])


def audit(pairs: Pairs, device_kind: str) -> str:
    """Why a person should look at this speedup, or nothing."""
    ratio = median(pairs.reference) / median(pairs.candidate)
    if ratio < _LARGE_SPEEDUP:
        return ""
    resolved = 0.25 * median(pairs.overhead) + _LINE_MS[device_kind]
    saved = median(pairs.reference) - median(pairs.candidate)
    verb = "confirms" if saved > resolved else "is too coarse to confirm"
    return f"{ratio:.1f} times eager; the judge's own clock (to {resolved:.2f} ms) {verb} {saved:.3f} ms saved a call"


def evidence(pairs: Pairs, floor_ms: float, method: str, facts: dict[str, Any]) -> dict[str, Any]:
    """What the orchestrator makes evidence.Timing of (`timed.read`): it adds the device's state, leaves out `pairs`
    that were timed while the clock was low, and turns `facts` into a roofline."""
    return {
        "candidate": spread(pairs.candidate),
        "baselines": {"eager": spread(pairs.reference)},
        "speedup": speedup(pairs.reference, pairs.candidate),
        "method": method,
        "wall_ms": median(pairs.wall),
        "handling_ms": median(pairs.overhead),
        "floor_ms": floor_ms,
        "pairs": {"at_s": pairs.at_s, "reference": pairs.reference, "candidate": pairs.candidate},
        "facts": facts,
    }


def method_text(device_kind: str, profile: Profile) -> str:
    """How it was measured, for the report."""
    clock = (
        "CUDA events behind a wait that hides launches and a flush of twice the L2 cache; inputs and outputs copied in "
        "stream order"
        if device_kind == "cuda"
        else "monotonic clock around the call, one thread"
    )
    return (
        f"{clock}; reference (eager, IEEE fp32, TF32 off) and candidate in interleaved blocks on the same fresh "
        f"values, every timed output compared; median of paired ratios (mean of their middle half), 95 % bootstrap "
        f"interval; "
        f"{profile.timings_min} to {profile.timings_max} pairs until the medians' standard error is "
        f"{profile.target_error:.2%} or {profile.timing_budget_s:g} s"
    )
