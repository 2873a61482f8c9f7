"""Timing: pairs of one reference call and one candidate call on the same fresh values, in interleaved blocks.

Every timed output is compared with the truth. The runner's times are claims, which `order_timing` bears out or not;
the bytes that must move bound them from below.
"""

from __future__ import annotations

import math
import secrets
import time
from dataclasses import dataclass, field
from typing import Any

from eval_app.engine.contract.profiles import Profile
from eval_app.engine.judge.calls.session import CallResult, Session
from eval_app.engine.judge.checks.trials import Trials
from eval_app.engine.judge.clock.foreign_work import Watch
from eval_app.engine.judge.clock.order_timing import OrderTiming
from eval_app.engine.judge.clock.statistics import median, relative_error, speedup, spread
from eval_app.engine.judge.clock.timed_checks import check_family
from eval_app.engine.judge.task.cases import Case, CaseMaker
from eval_app.engine.judge.verdicts import RejectedError, UnreviewedError

# The placement of a small kernel's tensors and code affects its time more than the clock's resolution does: this many
# times the minimum of pairs, each placed differently, are made whatever the medians' error.
_SMALL_MS = 0.02
_SMALL_FACTOR = 3
# Pairs between two times that the candidate is frozen, which takes as long as two pairs of a small kernel: at least and
# at most. Among as many as the least one call more has values of a family.
_BLOCK_LEAST, _BLOCK_MOST = 8, 16
# Share of a job's time for the review of timed results that differ, once one pair is there; and for that of orders.
REVIEW_SHARE = 1 / 8
# Speedup from which a person should look; honest kernels get there too (a fused layer norm is 165 times
# eager).
LARGE_SPEEDUP = 10.0
# Time of a wait for an idle device; more than this and a tenth of the call is work outside the window.
_TAIL_MS = 0.05
_TAIL_SHARE = 0.1


@dataclass
class Pairs:
    """Measurements in milliseconds, pair by pair."""

    reference: list[float] = field(default_factory=list)
    candidate: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    tail: list[float] = field(default_factory=list)
    overhead: list[float] = field(default_factory=list)
    # Time of each pair: time.monotonic, which all processes of a machine share.
    at_s: list[float] = field(default_factory=list)
    # Whether any output was reported to share memory with an input: then it need not be written, and a person
    # is asked to look.
    aliased: bool = False

    def add(self, case: Case, result: CallResult) -> None:
        """Add one pair."""
        self.reference.append(case.reference_ms)
        self.candidate.append(result.reply.ms)
        self.wall.append(result.reply.wall_ms)
        self.tail.append(result.reply.tail_ms)
        self.overhead.append(case.overhead_ms)
        self.at_s.append(time.monotonic())
        self.aliased |= result.reply.aliases_input

    def missing(self, profile: Profile) -> int:
        """Return how many pairs there are to be in any case beyond those that there are."""
        small = bool(self.candidate) and median(self.candidate) < _SMALL_MS
        return profile.timings_min * (_SMALL_FACTOR if small else 1) - len(self.candidate)

    def enough(self, profile: Profile) -> bool:
        """Return whether the medians are as precise as the profile asks."""
        if self.missing(profile) > 0:
            return False
        return max(relative_error(self.candidate), relative_error(self.reference)) <= profile.target_error


def measure(session: Session, maker: CaseMaker, trials: Trials, profile: Profile, watch: Watch) -> Pairs:
    """Collect pairs until they are enough, or the maximum count or a budget is reached."""
    trials.allow_reviews(math.inf)
    _warm_up(session, maker, trials, profile)
    pairs = Pairs()
    deadline = time.perf_counter() + profile.timing_budget_s
    while len(pairs.candidate) < profile.timings_max and not pairs.enough(profile):
        if time.perf_counter() > deadline and len(pairs.candidate) >= min(profile.timings_min, 5):
            break
        try:
            count = min(session.sets, max(_BLOCK_LEAST, min(_BLOCK_MOST, pairs.missing(profile))))
            _block(session, maker, trials, pairs, watch, count)
        except UnreviewedError:
            break
    return pairs


def _block(
    session: Session, maker: CaseMaker, trials: Trials, pairs: Pairs, watch: Watch, count: int
) -> None:
    """Add `count` pairs. A few calls more, at random places, have values of families and are not counted: a candidate
    that is correct only on what is timed is wrong there."""
    with session.frozen():  # nothing of the candidate's may slow the reference down
        block = [(maker.make(), True) for _ in range(count)]
        while not watch.is_quiet():
            block = []  # of large tensors no more than one block fits the device
            block = [(maker.make(), True) for _ in range(count)]
        for _ in range(-(-count // _BLOCK_LEAST) if trials.families else 0):
            case = maker.make_or_own(secrets.choice(trials.families))
            block.insert(secrets.randbelow(len(block) + 1), (case, False))
    for case, counted in block:
        if counted:
            pairs.add(case, trials.check(case))
            if len(pairs.candidate) == 1:
                trials.allow_reviews(REVIEW_SHARE)
        else:
            check_family(trials, case)


def _warm_up(session: Session, maker: CaseMaker, trials: Trials, profile: Profile) -> None:
    """Warm up both sides for the profile's minimum of calls and time; slow tasks stop after three calls."""
    started = time.perf_counter()
    for call in range(10_000):
        elapsed_s = time.perf_counter() - started
        if (call >= profile.warmup_calls and elapsed_s >= profile.warmup_s) or (
            call >= 3 and elapsed_s > 1.0
        ):
            return
        trials.check(maker.make())


def check_claims(pairs: Pairs, floor_ms: float) -> None:
    """Raise RejectedError if the runner's times are impossible by themselves: work after the window, or too little."""
    claim, tail = median(pairs.candidate), median(pairs.tail)
    if tail > _TAIL_MS + _TAIL_SHARE * claim:
        text = (
            f"the device was busy {tail:.3f} ms after the call's end event (call {claim:.3f} ms): work was launched "
            "outside the timed stream"
        )
        raise RejectedError("cheated", text, [("work_after_return", text)])
    if claim < floor_ms and not pairs.aliased:
        text = f"{claim:.6f} ms per call is below {floor_ms:.6f} ms, the minimum for the device to write the output"
        raise RejectedError("cheated", text, [("below_roofline", text)])


def evidence(pairs: Pairs, floor_ms: float, method: str, facts: dict[str, Any]) -> dict[str, Any]:
    """Return the raw material of evidence.Timing. `timing_report.read` adds the device's state, drops `pairs`
    timed at a low clock, and turns `facts` into a roofline."""
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


def use_orders(timing: dict[str, Any], orders: OrderTiming) -> None:
    """Put the times of the orders in place of the runner's, which they do not confirm."""
    reference, candidate = orders.sides
    timing["orders"]["single_reference_ms"] = timing["baselines"]["eager"]["median_ms"]
    timing["candidate"], timing["baselines"]["eager"] = spread(candidate), spread(reference)
    timing["speedup"] = speedup(reference, candidate)
    timing["pairs"] = None


def method_text(device_kind: str, profile: Profile) -> str:
    """Describe the method of measurement for the report."""
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
