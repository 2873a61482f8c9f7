"""Decide the outcome of an attempt, and whose fault it was, from what was observed."""

from __future__ import annotations

import signal
from dataclasses import dataclass, field
from typing import Any

from eval_app.engine.contract.jobs import Finding, Outcome, Severity
from eval_app.engine.contract.printable import printable
from eval_app.engine.judge.verdicts import CONTEXT_LOST, DEVICE_SHARED, says_no_memory
from eval_app.engine.orchestrator.attempt_trace import AttemptTrace

_LOADING = {
    "load_error": Outcome.LOAD_ERROR, "unsupported": Outcome.UNSUPPORTED, "out_of_memory": Outcome.OUT_OF_MEMORY,
    "illegal_memory": Outcome.ILLEGAL_MEMORY, "wrong_structure": Outcome.WRONG_STRUCTURE,
}  # fmt: skip
_SIGNALS: dict[int, Outcome] = {
    signal.SIGSEGV: Outcome.ILLEGAL_MEMORY, signal.SIGBUS: Outcome.ILLEGAL_MEMORY,
    signal.SIGKILL: Outcome.OUT_OF_MEMORY,
}  # fmt: skip
_TAIL_CHARS = 1200


@dataclass
class Conclusion:
    """An outcome with its explanation."""

    outcome: Outcome
    detail: str
    findings: list[Finding] = field(default_factory=list)


def classify_outcome(attempt: AttemptTrace) -> Conclusion:
    """Return the outcome of an attempt, final unless it needs a build. A fault of the reference takes precedence."""
    verdict = attempt.verdict or {}
    if verdict.get("outcome") == Outcome.INVALID_REFERENCE:
        return _blamed_for_memory(
            attempt, Conclusion(Outcome.INVALID_REFERENCE, str(verdict.get("detail", "")))
        )
    if attempt.stopped:
        return _stopped(attempt)
    if attempt.forged:
        return _forged(f"sent invalid messages to the orchestrator: {attempt.forged}")
    if attempt.failure is not None:
        outcome = _LOADING.get(attempt.failure["kind"], Outcome.LOAD_ERROR)
        return Conclusion(outcome, attempt.failure["detail"] or "the candidate could not be loaded")
    runner_was_there = attempt.runner_end.get("killed") or attempt.judge_left_first
    if not attempt.loaded and runner_was_there and "status" in attempt.judge_end:
        return _without_verdict(attempt)  # the judge exited while the runner was still loading
    if not attempt.loaded:
        return _died(attempt, "while loading", Outcome.LOAD_ERROR)
    if attempt.verdict is None:
        return _without_verdict(attempt)
    return _judged(attempt, verdict)


def ran_out_of_memory(conclusion: Conclusion) -> bool:
    """Return whether candidate or reference ran out of memory, which others may have occupied."""
    if conclusion.outcome is Outcome.INVALID_REFERENCE:
        return says_no_memory(conclusion.detail)
    return conclusion.outcome is Outcome.OUT_OF_MEMORY


def may_be_crowded_out(attempt: AttemptTrace, conclusion: Conclusion) -> bool:
    """Return whether a reference may have failed for what a candidate took beside it: memory, or the processors; or
    was not calibrated for that.

    Such a reference is tried again before the candidate is loaded.
    """
    if attempt.reference_first:
        return False
    if conclusion.outcome is not Outcome.INVALID_REFERENCE:
        return conclusion.outcome is Outcome.PASSED and (attempt.verdict or {}).get("short_of_memory") is True
    killed = attempt.judge_end.get("status") == -signal.SIGKILL
    return killed or attempt.stopped == "reference_timeout" or ran_out_of_memory(conclusion)


def lost_its_context(attempt: AttemptTrace) -> bool:
    """Return whether the reference ended the GPU's context on values that its task does not draw."""
    return (attempt.verdict or {}).get("outcome") == CONTEXT_LOST


def found_others_at_work(attempt: AttemptTrace) -> bool:
    """Return whether work on the device went on after the candidate had ended, so that it proves nothing."""
    return (attempt.verdict or {}).get("outcome") == DEVICE_SHARED


def _blamed_for_memory(attempt: AttemptTrace, conclusion: Conclusion) -> Conclusion:
    """Return the conclusion, turned against the candidate if the reference had its memory until that was loaded."""
    if not (attempt.reference_first and attempt.prepared and ran_out_of_memory(conclusion)):
        return conclusion
    text = f"the reference had enough memory until the candidate was loaded; then: {conclusion.detail}"
    return Conclusion(Outcome.OUT_OF_MEMORY, text)


def device_fault(attempt: AttemptTrace, conclusion: Conclusion) -> str:
    """Return why the GPU must be retested after this attempt; empty if it need not be."""
    first_line = conclusion.detail.partition("\n")[0][:200]
    findings = (attempt.verdict or {}).get("findings")
    codes = {f.get("code") for f in findings if isinstance(f, dict)} if isinstance(findings, list) else set()
    if conclusion.outcome is Outcome.ILLEGAL_MEMORY and "out_of_bounds_write" not in codes:
        return f"a job left a CUDA error: {first_line}"
    if conclusion.outcome is Outcome.TIMEOUT and attempt.loaded:
        return f"a job was killed during a call: {first_line}"
    if conclusion.outcome is Outcome.INFRA_ERROR and not attempt.stopped:
        return f"the judge failed: {first_line}"
    return ""


def _judged(attempt: AttemptTrace, verdict: dict[str, Any]) -> Conclusion:
    if verdict.get("outcome") == "runner_lost":
        return _died(attempt, "during a call", Outcome.RUNTIME_ERROR)
    if lost_its_context(attempt):
        return Conclusion(Outcome.INVALID_REFERENCE, str(verdict.get("detail", "")))
    if verdict.get("outcome") == "build_needed":  # an attempt that requested a build is not classified
        return _forged("told the judge of a build that it never requested")
    try:
        return Conclusion(Outcome(str(verdict.get("outcome"))), str(verdict.get("detail", "")))
    except ValueError:
        text = "the judge gave no known outcome: the reference tampered with it"
        return Conclusion(Outcome.INVALID_REFERENCE, text)


def _forged(what: str) -> Conclusion:
    text = f"the candidate's process {what}"
    return Conclusion(Outcome.CHEATED, text, [Finding("forged_message", Severity.REJECT, text)])


def _stopped(attempt: AttemptTrace) -> Conclusion:
    sentences = {
        "load_timeout": (Outcome.TIMEOUT, "loading the candidate took too long"),
        "reference_timeout": (Outcome.INVALID_REFERENCE, "the reference was not ready in time"),
        "total_timeout": (Outcome.TIMEOUT, "the job exceeded its total time limit"),
        "cancelled": (Outcome.INFRA_ERROR, "cancelled"),
        "memory:runner": (
            Outcome.OUT_OF_MEMORY,
            "the candidate used more host memory than its profile allows",
        ),
        "memory:judge": (
            Outcome.INVALID_REFERENCE,
            "the reference used more host memory than its profile allows",
        ),
        "memory:host": (Outcome.INFRA_ERROR, "the host ran out of memory, of which the job held little"),
    }
    outcome, text = sentences[attempt.stopped]
    if attempt.stopped == "memory:runner":
        text += f" ({attempt.peak_runner_bytes / 2**30:.1f} GiB)"
    return Conclusion(outcome, text + _tail(attempt.runner_log if "runner" in attempt.stopped else ""))


def _died(attempt: AttemptTrace, when: str, default: Outcome) -> Conclusion:
    """Classify an attempt whose runner process ended."""
    status = attempt.runner_end.get("status")
    if not isinstance(status, int):
        return Conclusion(
            default, f"the candidate's process closed its connection {when}{_tail(attempt.runner_log)}"
        )
    if status < 0:
        known = {int(number): number.name for number in signal.Signals}  # real-time ones have no names
        name, outcome = known.get(-status, f"signal {-status}"), _SIGNALS.get(-status, default)
        return Conclusion(
            outcome, f"the candidate's process was ended by {name} {when}{_tail(attempt.runner_log)}"
        )
    text = f"the candidate's process exited with status {status} {when}"
    return Conclusion(default, text + _tail(attempt.runner_log))


def _without_verdict(attempt: AttemptTrace) -> Conclusion:
    status = attempt.judge_end.get("status")
    if isinstance(status, int) and status > 0:
        return Conclusion(Outcome.INFRA_ERROR, f"the judge failed{_tail(attempt.judge_log)}")
    if (
        status == -signal.SIGKILL
        and attempt.prepared
        and attempt.peak_runner_bytes > attempt.peak_judge_bytes
    ):
        held = attempt.peak_runner_bytes / 2**30
        return Conclusion(
            Outcome.OUT_OF_MEMORY, f"the judge was killed while the candidate held {held:.1f} GiB"
        )
    return Conclusion(
        Outcome.INVALID_REFERENCE, f"the reference terminated the judge ({status}){_tail(attempt.judge_log)}"
    )


def _tail(log: str) -> str:
    text = printable(log, "\n").strip()
    return f"; end of its log: {text[-_TAIL_CHARS:]}" if text else ""
