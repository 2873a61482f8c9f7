"""Storage of reports: each exactly once, with everything that follows from it in the same transaction."""

import logging
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from datasets_app.counters.instruments import finished_verification
from datasets_app.models import Sample, Task, Verification, WantedDevice
from datasets_app.synthesize.waking import wake_loops_after
from eval_app.attempts import leases
from eval_app.attempts.drop_messages import drop_messages
from eval_app.engine import ADMISSION, ContractError, Outcome, Report
from eval_app.results.site_report import report_key, site_report
from eval_app.results.store import result_fields, store_evidence
from eval_app.results.versions import engine_refusal
from eval_app.workers.requirement import Requirement

log = logging.getLogger(__name__)


# --- A report that a worker sent ----------------------------------------------------------------------------------


def record_report(
    verification_id: uuid.UUID | str, attempt: int, data: Any, worker: str | None = None
) -> bool:
    """Store the report of this attempt. Return False if the row is finished, cancelled, unknown, or held by another
    worker.

    With `worker` the report came from a host: it counts only from the holder of the lease, and must describe the run
    that was requested. A report that breaks the contract ends the row as infra_error with the reason.
    """
    rows = Verification.runs.filter(pk=verification_id)
    row = rows.select_related("sample__task", "edit_version__edit__base__task").first()
    if row is None:
        log.warning("A report came for %s, which is not known here", verification_id)
        return False
    report = checked_report(row, data, worker)
    with transaction.atomic():
        ours = leases.held(row.pk, attempt, worker)
        by = {} if worker is None else {"worker": worker[: leases.WORKER_LENGTH]}
        if not ours.update(**result_fields(report, timezone.now()), **by, report_key=free_key(report)):
            log.info(
                "Dropped a report of %s, attempt %d: it is finished, or held by another worker",
                row.pk,
                attempt,
            )
            return False
        row.refresh_from_db()
        store_evidence(row, report)
        if row.sample_id:
            wake_loops_after(row.sample_id)
        transaction.on_commit(lambda: drop_messages(row.pk, row.attempt))
        transaction.on_commit(
            lambda: finished_verification(row.wanted_device, report.outcome.value, report.seconds)
        )
    log.info("%s on %s: %s", row.subject_id, row.device or row.wanted_device, report.outcome)
    return True


def checked_report(row: Verification, data: Any, worker: str | None = None) -> Report:
    """Return the report in `data` if it is valid and about this row's sample; else an infra_error with the reason."""
    try:
        report = Report.from_dict(data)
        if report.id != str(row.subject_id):
            raise ContractError(f"it is about {report.id!r}")
        if worker is not None:
            check_as_requested(row, report)
    except ContractError as error:
        reason = f"The report of {worker or row.worker or 'the worker'} cannot be used: {error}"
        return site_report(row.subject_id, Outcome.INFRA_ERROR, reason)
    return report


def check_as_requested(row: Verification, report: Report) -> None:
    """Raise ContractError if a report is not of the requested run. An infra_error need not name device and profile."""
    if report.outcome is Outcome.INFRA_ERROR:
        return
    if report.device and report.device.get("kind") != row.wanted_device:
        raise ContractError(
            f"it ran on {report.device.get('kind')!r}, and {row.wanted_device!r} was requested"
        )
    if report.device and not Requirement.read(row.requirement).met_by_device(report.device):
        raise ContractError(f"it ran on {report.device.get('name')!r}, and {row.requirement} was required")
    if report.profile.name != row.profile:
        raise ContractError(f"it ran {report.profile.name!r}, and {row.profile!r} was requested")
    if report.outcome is Outcome.PASSED and not report.device:
        raise ContractError("it passed on no device")
    if reason := engine_refusal(report.versions.get("engine", "")):
        raise ContractError(reason)


def free_key(report: Report) -> str | None:
    """Return the report's key unless another row has it: two runs may produce equal reports, while an import is stored
    once."""
    key = report_key(report)
    return None if Verification.runs.filter(report_key=key).exists() else key


# --- A report from a file -----------------------------------------------------------------------------------------


class UnknownSampleError(ValueError):
    """A report about a sample that this site does not have."""


def take_in(subject_id: uuid.UUID | str, data: Any) -> bool:
    """Store a report of a sample, or the admission of a task. Return False if it, or a newer one, is stored already.

    `subject_id` is a sample's id, for an admission also a task's. Raises what import_report raises.
    """
    report = Report.from_dict(data)
    if report.profile.name == ADMISSION:
        return import_admission(subject_id, report)
    return import_report(subject_id, data) is not None


def import_admission(subject_id: uuid.UUID | str, report: Report) -> bool:
    """Store the result of `engine admit` with the task. It compares the reference with itself, so it is no verdict on
    a sample."""
    task = Task.objects.filter(Q(pk=subject_id) | Q(samples=subject_id)).first()
    if task is None:
        raise UnknownSampleError(f"No task or sample {subject_id} is stored here: ingest the triples first.")
    _, ended = times(report)
    answers = {**report.admission, "valid_reference": report.outcome is not Outcome.INVALID_REFERENCE}
    if report.outcome in (Outcome.INFRA_ERROR, Outcome.UNSUPPORTED):
        return False  # of the machine, not of the task
    return task.record_admission(answers, report.versions.get("engine", "")[:20], ended)


def import_report(sample_id: uuid.UUID | str, data: Any) -> Verification | None:
    """Store a report of the engine's own command line as a finished verification, with the report's dates.

    Return None if the same report is stored already. Raises UnknownSampleError, or ContractError for an invalid
    report.
    """
    report = Report.from_dict(data)
    sample = Sample.objects.select_related("task").filter(pk=sample_id).first()
    if sample is None:
        raise UnknownSampleError(f"No sample {sample_id} is stored here: ingest the triples first.")
    started, ended = times(report)
    fields = {
        "sample": sample,
        "profile": report.profile.name[:20],
        "wanted_device": device_kind(report) or WantedDevice.for_language(sample.language),
        "attempt": 1,
        "started_at": started,
        **result_fields(report, ended),
    }
    with transaction.atomic():
        row, is_new = Verification.runs.get_or_create(report_key=report_key(report), defaults=fields)
        if is_new:
            store_evidence(row, report)
    return row if is_new else None


def times(report: Report) -> tuple[datetime, datetime]:
    """Return when the run began and ended by its own clock; now, if the report does not say or names the future."""
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
