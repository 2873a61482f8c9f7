"""The engine's proof of itself on the machine at hand: a worker that fails it takes no job."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from eval_app.engine import selftest_programs as programs
from eval_app.engine.contract import Job, Outcome, Report
from eval_app.engine.profiles import PROFILES

if TYPE_CHECKING:
    from eval_app.engine.engine import Engine, SelfTest

_ROWS = {"cpu": 64, "cuda": 16384}
# How far from 1.00 the same program against itself may read; a host's processors are shared, a GPU is not.
_AA_WITHIN = {"cpu": 0.10, "cuda": 0.02}
_AA_TRIES = 3
_QUICK = replace(
    PROFILES["quick"], name="selftest", call_timeout_s=5.0, first_call_timeout_s=10.0, total_timeout_s=60.0
)


def run(engine: Engine) -> SelfTest:
    """Hold the known programs against the known task."""
    from eval_app.engine.engine import SelfTest

    checks = {
        name: _check(engine, name, source, expected) for name, (source, expected) in _cases(engine).items()
    }
    checks["after_all_that"] = _check(engine, "after_all_that", programs.SAME, Outcome.PASSED)
    checks["same_against_itself"] = _same_against_itself(engine)
    return SelfTest(not any(text.startswith("failed") for text in checks.values()), checks)


def _cases(engine: Engine) -> dict[str, tuple[str, Outcome]]:
    cases = {
        "good_torch": (programs.SAME, Outcome.PASSED),
        "wrong_value": (programs.WRONG, Outcome.WRONG_VALUE),
        "replayed_output": (programs.REPLAY, Outcome.CHEATED),
        "lazy_output": (programs.LAZY, Outcome.CHEATED),
        "crash": (programs.CRASH, Outcome.ILLEGAL_MEMORY),
        "endless_call": (programs.ENDLESS, Outcome.TIMEOUT),
        "good_cpp": (programs.CPP, Outcome.PASSED),
    }
    if engine.device.kind == "cuda":
        del cases["good_cpp"]
        cases["good_cuda"] = (programs.CUDA, Outcome.PASSED)
        cases["side_stream"] = (programs.SIDE_STREAM, Outcome.CHEATED)
    return cases


def _report(engine: Engine, name: str, source: str) -> Report:
    reference = programs.REFERENCE.replace("ROWS", str(_ROWS[engine.device.kind]))
    return engine.verify(Job(f"selftest-{name}", reference, source, profile=_QUICK))


def _check(engine: Engine, name: str, source: str, expected: Outcome) -> str:
    report = _report(engine, name, source)
    if report.outcome is expected:
        return f"ok: {report.outcome}"
    return f"failed: {report.outcome} instead of {expected}: {report.detail[:500]}"


def _same_against_itself(engine: Engine) -> str:
    """The median of three runs, because a neighbour's burst is not this engine's fault.

    A GPU that fails this fails the self-test. The processors of a host are shared: there the reading is noise,
    which every timed report then carries, and verdicts on correctness stand.
    """
    ratios = []
    for _ in range(_AA_TRIES):
        report = _report(engine, "aa", programs.SAME)
        if report.timing is None or report.outcome is not Outcome.PASSED:
            return f"failed: {report.outcome}: {report.detail[:500]}"
        ratios.append(report.timing.speedup.median)
    middle = sorted(ratios)[_AA_TRIES // 2]
    kind = engine.device.kind
    beyond = "noisy" if kind == "cpu" else "failed"
    word = "ok" if abs(middle - 1) <= _AA_WITHIN[kind] else beyond
    return f"{word}: the same program against itself reads {middle:.3f}"
