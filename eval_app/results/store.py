"""Rows that a report creates: columns of the verification, findings, baselines, listings, the task's admission."""

import hashlib
import json
from datetime import datetime
from typing import Any

from datasets_app.evidence.record import refresh
from datasets_app.models import Baseline, Finding, JobState, MachineCode, Verification, VerificationReport
from eval_app.engine import Outcome, Report
from eval_app.results.staleness import environment_of

BASELINE_MODES = {
    "eager": Baseline.Mode.EAGER,
    "compile": Baseline.Mode.COMPILE,
    "max-autotune": Baseline.Mode.MAX_AUTOTUNE,
    "cudagraph": Baseline.Mode.CUDA_GRAPH,
}
TIME_UNCONFIRMED = "time_unconfirmed"


def result_fields(report: Report, finished_at: datetime) -> dict[str, Any]:
    """Return the columns of a finished verification."""
    passed = report.outcome is Outcome.PASSED
    timing = report.timing
    # What needs a speedup, a ranking or a rule, takes no row whose time is not confirmed.
    speedup = timing.speedup if timing and passed and not timing.unconfirmed else None
    return {
        "state": JobState.DONE,
        "finished_at": finished_at,
        "lease_until": None,
        "stage": "",
        "stage_detail": "",
        "outcome": report.outcome.value,
        "detail": report.detail,
        "speedup": speedup.median if speedup else None,
        "speedup_low": speedup.low if speedup else None,
        "speedup_high": speedup.high if speedup else None,
        "median_ms": timing.candidate.median_ms if timing else None,
        "eager_median_ms": timing.baselines["eager"].median_ms if timing else None,
        "kernelbench_correct": report.kernelbench.correct if report.kernelbench else None,
        "kernelbench_speedup": report.kernelbench.speedup if report.kernelbench else None,
        "time_confirmed": is_time_confirmed(report),
        "custom_kernel_share": report.profile_trace.custom_kernel_share if report.profile_trace else None,
        "device": device_name(report),
        "engine_version": report.versions.get("engine", "")[:20],
        "torch_version": report.versions.get("torch", "")[:40],
        "environment": environment_of(report, device_name(report)) if report.versions else None,
    }


def is_time_confirmed(report: Report) -> bool:
    """Return whether the judge's own clock confirms the candidate's time, and no finding doubts it."""
    doubted = any(finding.code == TIME_UNCONFIRMED for finding in report.findings)
    return bool(report.timing and report.timing.confirmed_by) and not doubted


def device_name(report: Report) -> str:
    return str(report.device.get("name") or report.device.get("kind") or "")[:120]


def store_evidence(row: Verification, report: Report) -> None:
    """Store everything that follows from a report except the row's own columns."""
    data = report.to_dict()
    store_report(row, data)
    Finding.objects.bulk_create(
        Finding(verification=row, code=finding.code, severity=finding.severity.value, detail=finding.detail)
        for finding in report.findings
    )
    store_baselines(row, report, data)
    store_admission(row, report)
    if row.sample_id:  # a proposed text is no sample; its baselines are the task's
        refresh([row.sample_id])


def store_report(row: Verification, data: dict[str, Any]) -> None:
    """Store the report's JSON; listings of an inspection go into a table of their own."""
    inspection = dict(data.get("inspection") or {})
    texts = {kind: inspection.pop(kind) for kind in MachineCode.Kind.values if inspection.get(kind)}
    stored = {**data, "inspection": inspection} if texts else data
    VerificationReport.objects.create(verification=row, report=stored)
    MachineCode.objects.bulk_create(
        MachineCode(verification=row, kind=kind, text=text, line_count=text.rstrip("\n").count("\n") + 1)
        for kind, text in texts.items()
    )


def store_baselines(row: Verification, report: Report, data: dict[str, Any]) -> None:
    """Store the reference's times: one row per device, mode and versions, with the newest measurement.

    A time that the engine reused from an earlier run was not measured now, and its row stays as it is.
    """
    if report.timing is None or not row.device:
        return
    assert row.finished_at is not None  # a constraint requires it of a finished row
    reused = data["timing"].get("baselines_reused") or []
    Baseline.objects.bulk_create(
        [
            Baseline(
                task_id=row.task.pk,
                device=row.device,
                mode=BASELINE_MODES[mode],
                versions=report.versions,
                versions_key=versions_key(report.versions),
                median_ms=spread.median_ms,
                p10_ms=spread.p10_ms,
                p90_ms=spread.p90_ms,
                sample_count=spread.n,
                measured_at=row.finished_at,
            )
            for mode, spread in report.timing.baselines.items()
            if mode in BASELINE_MODES and mode not in reused
        ],
        update_conflicts=True,
        unique_fields=["task", "device", "mode", "versions_key"],
        update_fields=["versions", "median_ms", "p10_ms", "p90_ms", "sample_count", "measured_at"],
    )


def versions_key(versions: dict[str, str]) -> str:
    return hashlib.sha256(json.dumps(versions, sort_keys=True).encode()).hexdigest()


def store_admission(row: Verification, report: Report) -> None:
    """Store the engine's findings about the task with the task; the newest engine's count."""
    if report.admission and row.finished_at:
        row.task.record_admission(report.admission, row.engine_version, row.finished_at)
