"""Leases: a worker holds a row while its heartbeats arrive; otherwise the row is requeued under a new attempt."""

from typing import Any

from django.db.models import F, Q
from django.db.models.functions import Coalesce
from django.utils import timezone

from datasets_app.jobs.job_row import lease_end
from datasets_app.models import JobState, StageChange, Verification
from datasets_app.models.verification import VerificationQuerySet
from datasets_app.text_input.storable import storable

WORKER_LENGTH = 120  # of a worker's name in a row


def held(verification_id: Any, attempt: int, worker: str | None = None) -> VerificationQuerySet:
    """Return the row if this attempt still counts; with `worker`, only if no other worker holds its lease."""
    rows = Verification.runs.unfinished().filter(pk=verification_id, attempt=attempt)
    return (
        rows if worker is None else rows.filter(Q(state=JobState.QUEUED) | Q(worker=worker[:WORKER_LENGTH]))
    )


def renew(worker: str, running: list[dict[str, Any]]) -> int:
    """Renew the leases of the rows in a heartbeat, except those that another worker holds; return how many."""
    return sum(renew_row(worker, item) for item in running)


def renew_row(worker: str, item: dict[str, Any]) -> int:
    """Renew one row's lease and log its stage if that is new."""
    stage, detail = (storable(str(item.get(name, ""))) for name in ("stage", "detail"))
    row = held(item["verification"], item["attempt"], worker)
    before = row.values_list("stage", "stage_detail").first()
    renewed = row.update(
        state=JobState.RUNNING,
        lease_until=lease_end(),
        started_at=Coalesce(F("started_at"), timezone.now()),
        worker=worker[:WORKER_LENGTH],
        stage=stage[:40],
        stage_detail=detail[:300],
    )
    if renewed and stage and before != (stage[:40], detail[:300]):
        log_stage(item["verification"], item["attempt"], worker, stage, detail)
    return renewed


def log_stage(verification_id: Any, attempt: int, worker: str, stage: str, detail: str) -> None:
    """Add a line to a verification's log."""
    StageChange.objects.create(
        verification_id=verification_id,
        attempt=attempt,
        worker=worker[:WORKER_LENGTH],
        stage=stage[:40],
        detail=detail[:300],
        at=timezone.now(),
    )


def requeue(rows: VerificationQuerySet, **changes: Any) -> int:
    """Put rows back into the queue under a new attempt, so that messages of the old one no longer count."""
    return rows.update(
        state=JobState.QUEUED,
        attempt=F("attempt") + 1,
        lease_until=None,
        sent_at=None,
        worker="",
        stage="",
        stage_detail="",
        **changes,
    )
