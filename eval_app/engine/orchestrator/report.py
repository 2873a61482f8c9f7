"""Assembling a report. A judge's verdict is the word of another process: invalid parts are rejected."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import Any

from eval_app.engine.contract import schema
from eval_app.engine.contract.evidence import BuildInfo, Correctness, KernelBench, Timing
from eval_app.engine.contract.jobs import Finding, Job, Outcome, Report, Severity
from eval_app.engine.contract.printable import printable
from eval_app.engine.contract.schema import ContractError
from eval_app.engine.hardware.device import Device
from eval_app.engine.labels import label_program
from eval_app.engine.orchestrator import sweep_report, timing_report
from eval_app.engine.orchestrator.attempt_trace import AttemptTrace
from eval_app.engine.orchestrator.classify_outcome import Conclusion

_MAX_FINDINGS = 100
_MAX_SECONDS = 1e7
# KernelBench calls these incorrect as well. It has other limits of time and memory, so of those nothing is said.
_NEVER_RAN = {Outcome.BUILD_ERROR, Outcome.LOAD_ERROR, Outcome.RUNTIME_ERROR, Outcome.ILLEGAL_MEMORY}
TASK_FINDINGS = ("degenerate_task", "random_reference", "precision_insensitive")


def report(
    job: Job, conclusion: Conclusion, attempt: AttemptTrace, *, earlier: dict[str, Any], build: BuildInfo | None,
    started_at: str, device: Device, versions: dict[str, str], sandbox: str, total_s: float, build_s: float,
    waited_s: float, noise: str = "",
) -> Report:  # fmt: skip
    """Return a complete and valid report of one job, whatever the judge's process sent."""
    verdict = attempt.verdict or {}
    seconds = {"load": attempt.load_s, "build": build_s, "total": total_s, "waited": waited_s}
    bare: dict[str, Any] = {
        "id": job.id, "detail": _text(conclusion.detail), "build": build, "profile": job.profile,
        "device": dict(device.facts), "versions": versions, "started_at": started_at, "sandbox": sandbox,
        "seconds": {name: round(value, 4) for name, value in seconds.items() if value},
    }  # fmt: skip
    try:
        evidence = _evidence(conclusion, verdict, earlier, device, attempt)
        evidence["seconds"] = _orchestrator_stages(attempt) | _judge_stages(verdict) | bare["seconds"]
        evidence["findings"] = [*evidence["findings"], *static_labels(job.candidate)]
        if noise and evidence["timing"]:
            evidence["findings"].append(Finding("noisy_machine", Severity.LABEL, noise))
        return Report.from_dict(schema.to_json(Report(outcome=conclusion.outcome, **bare | evidence)))
    except ContractError as error:
        text = f"the judge's verdict violates the contract ({error}): the reference tampered with it"
        return Report(outcome=Outcome.INVALID_REFERENCE, **bare | {"detail": _text(text)})


def _evidence(
    conclusion: Conclusion,
    verdict: dict[str, Any],
    earlier: dict[str, Any],
    device: Device,
    attempt: AttemptTrace,
) -> dict[str, Any]:
    """Validate the evidence in a verdict. Raises ContractError."""
    outcome = conclusion.outcome
    correctness = _object(verdict, "correctness")
    timing = _object(verdict, "timing") if outcome in (Outcome.PASSED, Outcome.CHEATED) else {}
    admission = _object(verdict, "admission") or _object(earlier, "answers")
    return {
        "findings": [*conclusion.findings, *_unique([*_findings(verdict), *_findings(earlier)])],
        "correctness": schema.read(Correctness, correctness, "correctness") if correctness else None,
        "timing": _timing(timing, device, attempt) if timing else None,
        "kernelbench": _kernelbench(outcome, verdict),
        "sweep": sweep_report.read(verdict.get("sweep") or [], attempt.samples)
        if outcome is Outcome.PASSED
        else [],
        "admission": {
            str(k)[:60]: v for k, v in admission.items() if isinstance(v, str | int | float | bool)
        },
    }


def _kernelbench(outcome: Outcome, verdict: dict[str, Any]) -> KernelBench | None:
    told = _object(verdict, "kernelbench")
    if told:
        return schema.read(KernelBench, told, "kernelbench")
    return KernelBench(correct=False) if outcome in _NEVER_RAN else None


def static_labels(candidate: str) -> list[Finding]:
    """Return labels from the program's source; a label tells a person where to look and rejects nothing."""
    return [
        Finding(label.code, Severity.LABEL, f"{place}{label.evidence}"[:2000])
        for label in label_program(candidate)
        for place in [f"line {label.line}: " if label.line else ""]  # 0: the program as a whole
    ]


def _orchestrator_stages(attempt: AttemptTrace) -> dict[str, float]:
    """Return the stages by the orchestrator's clock, without "prepare", which includes the judge's reference
    and the load."""
    return {name: round(value, 4) for name, value in attempt.stages.items() if name != "prepare"}


def _judge_stages(verdict: dict[str, Any]) -> dict[str, float]:
    return {str(name)[:40]: _seconds(value) for name, value in _object(verdict, "seconds").items()}


def _seconds(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < _MAX_SECONDS:
        raise ContractError("seconds must be numbers, and not negative")
    return round(float(value), 4)


def _object(form: dict[str, Any], name: str) -> dict[str, Any]:
    value = form.get(name) or {}
    if not isinstance(value, dict):
        raise ContractError(f"{name} must be an object")
    return value


def _timing(timing: dict[str, Any], device: Device, attempt: AttemptTrace) -> Timing:
    if not isinstance(timing, dict):
        raise ContractError("timing must be an object")
    state: dict[str, Any] = {}
    with contextlib.suppress(OSError):
        state = device.state()
    return timing_report.read(timing, attempt.samples, state, attempt.peaks)


def _findings(form: dict[str, Any]) -> list[dict[str, Any]]:
    findings = form.get("findings") or []
    if (
        not isinstance(findings, list)
        or len(findings) > _MAX_FINDINGS
        or not all(isinstance(item, dict) for item in findings)
    ):
        raise ContractError(f"findings must be a list of at most {_MAX_FINDINGS} objects")
    return findings


def _unique(findings: list[dict[str, Any]]) -> list[Finding]:
    unique = {str(item.get("code")): item for item in findings}
    return [_printable(schema.read(Finding, item, "finding")) for item in unique.values()]


def _printable(finding: Finding) -> Finding:
    """Return a finding whose text, of which a candidate or a reference may have sent a part, does nothing to a terminal
    and has no lines of its own."""
    return replace(finding, detail=printable(finding.detail))


def _text(text: str) -> str:
    return printable(text, "\n\t")[:8000]
