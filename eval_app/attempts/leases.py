"""What workers say while they hold a row: that they live, how far they are, that they give it back."""

import uuid
from datetime import datetime
from typing import Any

from django.db.models import F, Q
from django.db.models.functions import Coalesce
from django.utils import timezone

from datasets_app.jobs.job_row import lease_end
from datasets_app.models import JobState, StageChange, Verification
from datasets_app.models.verification_queryset import VerificationQuerySet
from eval_app.models import Host, Worker
from eval_app.queue import dispatch
from eval_app.request.verify import storable
from eval_app.results.staleness import note_changes

WORKER_LENGTH = 120  # of a worker's name in a row
ANNOUNCED = ("state", "devices", "queues", "versions", "sandbox", "healthy", "health_detail", "lanes", "busy")


def held(verification_id: Any, attempt: int, worker: str | None = None) -> VerificationQuerySet:
    """The row, if this attempt still counts; with `worker`, only if nobody else holds its lease."""
    rows = Verification.objects.unfinished().filter(pk=verification_id, attempt=attempt)
    return (
        rows if worker is None else rows.filter(Q(state=JobState.QUEUED) | Q(worker=worker[:WORKER_LENGTH]))
    )


def renew(worker: str, running: list[dict[str, Any]]) -> int:
    """Each row that the worker names and nobody else holds is its own until the lease ends. Returns how many are."""
    return sum(enter(worker, item) for item in running)


def enter(worker: str, item: dict[str, Any]) -> int:
    """Renew one row's lease; a stage that is new goes into its log."""
    stage, detail = (storable(str(item.get(name, ""))) for name in ("stage", "detail"))
    row = held(item["verification"], item["attempt"], worker)
    before = row.values_list("stage", "stage_detail").first()
    found = row.update(
        state=JobState.RUNNING,
        lease_until=lease_end(),
        started_at=Coalesce(F("started_at"), timezone.now()),
        worker=worker[:WORKER_LENGTH],
        stage=stage[:40],
        stage_detail=detail[:300],
    )
    if found and stage and before != (stage[:40], detail[:300]):
        log_stage(item["verification"], item["attempt"], worker, stage, detail)
    return found


def log_stage(verification_id: Any, attempt: int, worker: str, stage: str, detail: str) -> None:
    StageChange.objects.create(
        verification_id=verification_id,
        attempt=attempt,
        worker=worker[:WORKER_LENGTH],
        stage=stage[:40],
        detail=detail[:300],
        at=timezone.now(),
    )


def requeue(rows: VerificationQuerySet, **changes: Any) -> int:
    """Put rows back into the queue under a new attempt, so that what the old one still says is not heard."""
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


def give_back(verification_id: object, attempt: int, worker: str | None = None) -> bool:
    """A worker that stops hands its row on: it waits again, and nothing is held against it."""
    if not requeue(held(verification_id, attempt, worker)):
        return False
    dispatch.send_after_commit([uuid.UUID(str(verification_id))])
    return True


def announce(name: str, facts: dict[str, Any], host: Host | None = None) -> Worker:
    """A worker says what it is and how it is; silence for some beats means that it is gone.

    Raises ValueError, TypeError or DatabaseError's DataError where a fact cannot be stored.
    """
    fields = {key: value for key, value in facts.items() if key in ANNOUNCED}
    fields |= {"seen_at": timezone.now(), "host": host}
    if started := facts.get("started_at"):
        fields["started_at"] = datetime.fromisoformat(started)
    worker = Worker.objects.update_or_create(name=name[:WORKER_LENGTH], defaults=fields)[0]
    note_changes()
    return worker
