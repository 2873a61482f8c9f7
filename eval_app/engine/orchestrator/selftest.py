"""The engine's self-test on the present machine: a worker that fails it accepts no jobs."""

from __future__ import annotations

import statistics
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from eval_app.engine.contract.jobs import Job, Outcome, Report
from eval_app.engine.contract.profiles import PROFILES, Profile
from eval_app.engine.orchestrator import selftest_programs as programs
from eval_app.engine.orchestrator.lane import Lane
from eval_app.engine.orchestrator.lanes import CancelledWaitError, Lanes

_ROWS = {"cpu": 64, "cuda": 16384}
# Tolerated deviation from 1.00 of a program timed against itself; a host's processors are shared, a GPU is
# not.
_AA_WITHIN = {"cpu": 0.10, "cuda": 0.02}
_AA_TRIES = 3
# A program as quick as its reference that claims a third of its time must not be believed beyond the clock's room.
_BELIEVED = {"cpu": 1.35, "cuda": 1.2}
_QUICK = replace(
    PROFILES["quick"], name="selftest", call_timeout_s=5.0, first_call_timeout_s=10.0, total_timeout_s=60.0
)
_UNTIMED = replace(_QUICK, timings_min=0, timings_max=0)
# For what never ends, whatever the time: every start of a worker waits for it.
_IMPATIENT = replace(_QUICK, first_call_timeout_s=2.0)


@dataclass(frozen=True)
class SelfTest:
    """Result of a self-test: whether it passed, and each check with its evidence."""

    passed: bool
    checks: dict[str, str]


class TestedEngine(Protocol):
    """The part of an engine that its self-test uses."""

    lanes: Lanes
    # Reason by lane name, for lanes whose timing is too noisy on a busy host.
    noise: dict[str, str]

    def verify(self, job: Job, *, cancelled: Callable[[], bool], only: Lane | None) -> Report:
        """Verify one job on the lane `only`, which the caller holds."""

    def stop(self) -> None:
        """End all processes."""


def run(engine: TestedEngine) -> SelfTest:
    """Verify the known programs on all lanes in parallel.

    If the caller is interrupted, checks in progress are abandoned: they would continue for most of a minute.
    """
    lanes = engine.lanes.all
    given_up = threading.Event()
    with ThreadPoolExecutor(len(lanes)) as pool:
        try:
            results = list(pool.map(partial(_run_on, engine, given_up), lanes))
        except BaseException:
            given_up.set()
            engine.stop()
            raise
    checks = {
        f"{lane.name} {name}" if len(lanes) > 1 else name: text
        for lane, result in zip(lanes, results, strict=True)
        for name, text in result.items()
    }
    return SelfTest(not any(text.startswith("failed") for text in checks.values()), checks)


def _run_on(engine: TestedEngine, given_up: threading.Event, lane: Lane) -> dict[str, str]:
    with engine.lanes.hold(lane):
        test = _LaneTest(engine, lane, given_up)
        checks = {name: test.check(name, *case) for name, case in test.cases().items()}
        checks |= test.walls()
        checks["forged_time"] = test.forged_time()
        checks["after_all_that"] = test.check("after_all_that", programs.SAME, Outcome.PASSED, _UNTIMED)
        checks["same_against_itself"] = test.same_against_itself()
    return checks


def retest(engine: TestedEngine, lane: Lane) -> str:
    """Run the short form on a lane that the caller holds after a fault; return what failed, empty if nothing did.

    It covers what a device fault can spoil: correct programs pass, wrong ones are caught, the clock is right.
    """
    test = _LaneTest(engine, lane)
    checks = {
        "wrong_value": test.check("wrong_value", programs.WRONG, Outcome.WRONG_VALUE),
        "same_against_itself": test.same_against_itself(),
    }
    return "; ".join(f"{name}: {text}" for name, text in checks.items() if text.startswith("failed"))


class _LaneTest:
    """The checks of one lane, which the caller holds."""

    def __init__(self, engine: TestedEngine, lane: Lane, given_up: threading.Event | None = None) -> None:
        self._engine, self._lane, self._kind = engine, lane, lane.device.kind
        self._given_up = given_up or threading.Event()

    def cases(self) -> dict[str, tuple[str, Outcome, Profile]]:
        """Return the programs, their expected outcomes and profiles by name; `same_against_itself` times the first."""
        cases = {
            "good_torch": (programs.SAME, Outcome.PASSED, _UNTIMED),
            "wrong_value": (programs.WRONG, Outcome.WRONG_VALUE, _QUICK),
            "replayed_output": (programs.REPLAY, Outcome.CHEATED, _QUICK),
            "lazy_output": (programs.LAZY, Outcome.CHEATED, _QUICK),
            "crash": (programs.CRASH, Outcome.ILLEGAL_MEMORY, _QUICK),
            "endless_call": (programs.ENDLESS, Outcome.TIMEOUT, _IMPATIENT),
        }
        if self._kind == "cuda":
            return cases | {
                "good_cuda": (programs.CUDA, Outcome.PASSED, _QUICK),
                "side_stream": (programs.SIDE_STREAM, Outcome.CHEATED, _QUICK),
            }
        return cases | {"good_cpp": (programs.CPP, Outcome.PASSED, _UNTIMED)}

    def walls(self) -> dict[str, str]:
        """Check that nothing of a job reaches the next one, and that no candidate's message blames another."""
        residue = self.check("residue", programs.RESIDUE, Outcome.PASSED, _UNTIMED)
        if residue.startswith("ok"):
            residue = self.check("residue", programs.SEARCH, Outcome.PASSED, _UNTIMED)
        return {
            "residue": residue,
            "framing_at_load": self.check("framing_at_load", programs.FORGED_LOAD, Outcome.CHEATED, _UNTIMED),
            "framing_in_call": self.check("framing_in_call", programs.FORGED_CALL, Outcome.CHEATED, _UNTIMED),
        }

    def forged_time(self) -> str:
        """Time a program that claims a third of its time: failed if that is confirmed each time."""
        text = ""
        for _ in range(_AA_TRIES):
            report = self._report("forged_time", programs.FORGED_TIME)
            if report.outcome not in (Outcome.PASSED, Outcome.CHEATED):
                return f"failed: {report.outcome}: {report.detail[:500]}"
            timing = report.timing
            if report.outcome is Outcome.CHEATED or timing is None or not timing.confirmed_by:
                return "ok: a false time is not confirmed"
            text = f"a false time reads {timing.speedup.median:.3f}"
            if timing.speedup.median <= _BELIEVED[self._kind]:
                return f"ok: {text}"
        return f"failed: {text}"

    def _report(self, name: str, source: str, profile: Profile = _QUICK) -> Report:
        reference = programs.REFERENCE.replace("ROWS", str(_ROWS[self._kind]))
        job = Job(f"selftest-{name}", reference, source, profile=profile)
        report = self._engine.verify(job, cancelled=self._given_up.is_set, only=self._lane)
        if self._given_up.is_set():
            raise CancelledWaitError
        return report

    def check(self, name: str, source: str, expected: Outcome, profile: Profile = _QUICK) -> str:
        """Verify one program and return "ok: ..." or "failed: ..."."""
        report = self._report(name, source, profile)
        if report.outcome is expected:
            return f"ok: {report.outcome}"
        return f"failed: {report.outcome} instead of {expected}: {report.detail[:500]}"

    def same_against_itself(self) -> str:
        """Time a program against itself: the median of three runs, fewer if two agree, so that one
        disturbance does not count.

        A GPU that deviates fails the self-test. On a host the deviation is noise, since its processors are
        shared: every timed report then carries it, and verdicts on correctness are unaffected.
        """
        ratios: list[float] = []
        while len(ratios) < _AA_TRIES and sum(map(self._is_even, ratios)) <= _AA_TRIES // 2:
            report = self._report("aa", programs.SAME)
            if self._is_noise(report):
                return self._noisy(report.detail[:200])
            if report.timing is None or report.outcome is not Outcome.PASSED:
                return f"failed: {report.outcome}: {report.detail[:500]}"
            ratios.append(report.timing.speedup.median)
        return self._judge_ratio(statistics.median(ratios))

    def _is_even(self, ratio: float) -> bool:
        return abs(ratio - 1) <= _AA_WITHIN[self._kind]

    def _is_noise(self, report: Report) -> bool:
        """Return whether the clocks disagree only because the host is busy."""
        return self._kind == "cpu" and "clock_mismatch" in {finding.code for finding in report.findings}

    def _noisy(self, text: str) -> str:
        self._engine.noise[self._lane.name] = text
        return f"noisy: {text}"

    def _judge_ratio(self, middle: float) -> str:
        text = f"a program timed against itself reads {middle:.3f}"
        self._engine.noise.pop(self._lane.name, None)
        if self._is_even(middle):
            return f"ok: {text}"
        return self._noisy(text) if self._kind == "cpu" else f"failed: {text}"
