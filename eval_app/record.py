"""Reports into the database: each exactly once, with all that follows from it in the same transaction."""

import hashlib
import json
import logging
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from datasets_app.models import JobState, Sample
from eval_app import dispatch
from eval_app.models import Baseline, Finding, Verification, VerificationReport, WantedDevice
from eval_app.verify import AUTO, ContractError, Outcome, Report, device_for, report_key, site_report

log = logging.getLogger(__name__)
BASELINE_MODES = {
    "eager": Baseline.Mode.EAGER,
    "compile": Baseline.Mode.COMPILE,
    "max-autotune": Baseline.Mode.MAX_AUTOTUNE,
    "cudagraph": Baseline.Mode.CUDA_GRAPH,
}
# These say something about the machine, not about the kernel: they never displace evidence.
NO_EVIDENCE = {Outcome.INFRA_ERROR}


# --- A report that a worker sent ---------------------------------------------------------------------------


def record_report(verification_id: uuid.UUID | str, attempt: int, data: Any) -> bool:
    """Store the report of an unfinished verification. False if it is finished, cancelled or unknown.

    The first report wins, whichever attempt it is of: a worker that was thought dead may still bring
    the evidence. A report that breaks the contract ends the row as infra_error and says how.
    """
    row = Verification.objects.filter(pk=verification_id).select_related("sample").first()
    if row is None:
        log.warning("A report came for %s, which is not known here", verification_id)
        return False
    report = checked_report(row, data)
    with transaction.atomic():
        unfinished = Verification.objects.unfinished().filter(pk=row.pk)
        if not unfinished.update(**result_fields(report, timezone.now()), report_key=free_key(report)):
            return False
        row.refresh_from_db()
        store_evidence(row, report)
        transaction.on_commit(lambda: dispatch.forget(row.pk, row.attempt))
    log.info("%s on %s: %s", row.sample_id, row.device or row.wanted_device, report.outcome)
    return True


def checked_report(row: Verification, data: Any) -> Report:
    """The report in `data` if it keeps the contract and speaks of this row's sample, else one that says why not."""
    try:
        report = Report.from_dict(data)
        if report.id != str(row.sample_id):
            raise ContractError(f"it speaks of {report.id!r}")
    except ContractError as error:
        reason = f"The report of {row.worker or 'the worker'} cannot be used: {error}"
        return site_report(row.sample_id, Outcome.INFRA_ERROR, reason)
    return report


def free_key(report: Report) -> str | None:
    """The report's key, unless another row has it: two runs may say the same, an import may not repeat one."""
    key = report_key(report)
    return None if Verification.objects.filter(report_key=key).exists() else key


# --- A report from a file ----------------------------------------------------------------------------------


class UnknownSampleError(ValueError):
    """A report about a sample that this site does not have."""


def import_report(sample_id: uuid.UUID | str, data: Any) -> Verification | None:
    """Store a report of the engine's own command line as a finished verification, with the report's dates.

    None if the same report is here already. Raises UnknownSampleError, or ContractError for a bad report.
    """
    report = Report.from_dict(data)
    sample = Sample.objects.filter(pk=sample_id).first()
    if sample is None:
        raise UnknownSampleError(f"No sample {sample_id} is stored here: ingest the triples first.")
    key = report_key(report)
    with transaction.atomic():
        if Verification.objects.filter(report_key=key).exists():
            return None
        started, ended = times(report)
        row = Verification.objects.create(
            sample=sample,
            profile=report.profile.name[:20],
            wanted_device=device_kind(report) or device_for(sample.language, AUTO),
            attempt=1,
            started_at=started,
            report_key=key,
            **result_fields(report, ended),
        )
        store_evidence(row, report)
    return row


def times(report: Report) -> tuple[datetime, datetime]:
    """When the run began and ended, by its own clock; now, where it does not say or names the future."""
    now = timezone.now()
    try:
        started = datetime.fromisoformat(report.started_at).astimezone(UTC)
        ended = started + timedelta(seconds=report.seconds.get("total", 0.0))
    except (ValueError, OverflowError):
        return now, now
    return min(started, now), min(ended, now)


def device_kind(report: Report) -> str:
    kind = report.device.get("kind")
    return str(kind) if kind in WantedDevice.values else ""


# --- What both store ---------------------------------------------------------------------------------------


def result_fields(report: Report, finished_at: datetime) -> dict[str, Any]:
    """The columns of a finished verification."""
    passed = report.outcome is Outcome.PASSED
    timing = report.timing
    speedup = timing.speedup if timing and passed else None
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
        "device": device_name(report),
        "engine_version": report.versions.get("engine", "")[:20],
        "torch_version": report.versions.get("torch", "")[:40],
    }


def device_name(report: Report) -> str:
    return str(report.device.get("name") or report.device.get("kind") or "")[:120]


def store_evidence(row: Verification, report: Report) -> None:
    """The whole report, its findings, its baselines, and the sample's newest evidence."""
    VerificationReport.objects.create(verification=row, report=report.to_dict())
    Finding.objects.bulk_create(
        Finding(verification=row, code=finding.code, severity=finding.severity.value, detail=finding.detail)
        for finding in report.findings
    )
    store_baselines(row, report)
    if report.outcome not in NO_EVIDENCE or row.sample.outcome in {"", *NO_EVIDENCE}:
        row.sample.record_evidence(
            outcome=row.outcome,
            measured_speedup=row.speedup,
            device=row.device,
            verified_at=row.finished_at,
        )


def store_baselines(row: Verification, report: Report) -> None:
    """The reference's times, one row a device, mode and set of versions; the newest measurement stands."""
    if report.timing is None or not row.device:
        return
    assert row.finished_at is not None  # the row is done; a constraint says the same
    Baseline.objects.bulk_create(
        [
            Baseline(
                task_id=row.sample.task_id,
                device=row.device,
                mode=BASELINE_MODES[mode],
                versions=report.versions,
                versions_key=versions_key(report.versions),
                median_ms=spread.median_ms,
                p10_ms=spread.p10_ms,
                p90_ms=spread.p90_ms,
                sample_count=spread.n,
                measured_at=row.finished_at or timezone.now(),
            )
            for mode, spread in report.timing.baselines.items()
            if mode in BASELINE_MODES
        ],
        update_conflicts=True,
        unique_fields=["task", "device", "mode", "versions_key"],
        update_fields=["versions", "median_ms", "p10_ms", "p90_ms", "sample_count", "measured_at"],
    )


def versions_key(versions: dict[str, str]) -> str:
    return hashlib.sha256(json.dumps(versions, sort_keys=True).encode()).hexdigest()
