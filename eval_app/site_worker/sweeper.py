"""The sweeper: requeues rows that a dead process, worker or broker left behind.

It reads rows only, and every change is one conditional UPDATE: several sweepers do no harm.
"""

import logging
import uuid
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone

import datasets_app.tasks  # noqa: F401  (tells job_row.RESENDERS how each stage's tasks are sent)
from datasets_app.broker import BROKER_ERRORS, circuit, client
from datasets_app.bulk.forgetting import forget_changes
from datasets_app.db import facet_index
from datasets_app.db.batched import batched
from datasets_app.jobs import job_row
from datasets_app.maintenance.runs import request_search
from datasets_app.models import Priority, Verification, WantedDevice
from datasets_app.models.verification import VerificationQuerySet
from datasets_app.webhooks.deliver import forget_deliveries
from eval_app.attempts import leases
from eval_app.broker.celery_app import SITE_QUEUE
from eval_app.broker.message_locks import DONE, LOCK_LEASES, holders
from eval_app.engine import Outcome
from eval_app.queue import dispatch
from eval_app.queue.routes import Route, routes
from eval_app.results.record import record_report
from eval_app.results.site_report import site_report
from eval_app.results.staleness import note_changes

log = logging.getLogger(__name__)
MAX_LOST = 3
# After this time a missing message is sent again although others are in the queue.
OLD = timedelta(minutes=10)


@dataclass
class SweepCounts:
    """The counts of one sweep."""

    requeued: int = 0
    given_up: int = 0
    sent_again: int = 0
    other_jobs: int = 0

    def __bool__(self) -> bool:
        return any(asdict(self).values())


def sweep(leases_too: bool = True) -> SweepCounts:
    """Requeue what dead workers held, send what the broker lost, and do the same for the site's own jobs.

    With `leases_too=False` no lease is ended and no message taken for lost, because messages of hosts may be unread:
    the report of a row that seems lost may be among them.
    """
    swept = SweepCounts()
    if leases_too:
        requeue_expired(swept)
    facet_index.compact_backlog()
    request_search()
    forget_changes()
    forget_deliveries()
    note_changes()
    try:
        swept.sent_again = sum(send_lost(device, leases_too) for device in WantedDevice.values)
        swept.other_jobs = sweep_site_jobs()
        note_sweep()
    except BROKER_ERRORS as error:
        log.warning("The broker does not answer; queued rows are sent later: %s", error)
    if swept:
        log.info(
            "Swept: %(requeued)d requeued, %(given_up)d given up, %(sent_again)d sent again, "
            "%(other_jobs)d other jobs",
            asdict(swept),
        )
    return swept


# --- Rows whose worker died ---------------------------------------------------------------------------------------


def requeue_expired(swept: SweepCounts) -> None:
    """Requeue rows whose lease expired; end those that were lost too often."""
    for row in Verification.runs.lease_expired(timezone.now()):
        loss = f"Attempt {row.attempt}: {row.worker or 'a worker'} stopped answering in stage {row.stage or '?'!r}."
        history = f"{row.error}\n{loss}".strip()
        if row.lost + 1 >= MAX_LOST:
            swept.given_up += give_up(row, history)
        else:
            swept.requeued += leases.requeue(still_expired(row), lost=row.lost + 1, error=history)


def still_expired(row: Verification) -> VerificationQuerySet:
    expired = Verification.runs.lease_expired(timezone.now())
    return expired.filter(pk=row.pk, attempt=row.attempt)


def give_up(row: Verification, history: str) -> bool:
    """End a row that three workers lost as infra_error with its history, never with a verdict."""
    if not still_expired(row).update(error=history, lost=row.lost + 1):
        return False
    detail = f"Given up after {MAX_LOST} workers stopped answering while they ran it.\n{history}"
    report = site_report(row.subject_id, Outcome.INFRA_ERROR, detail)
    return record_report(row.pk, row.attempt, report.to_dict())


# --- Rows without a message, or with a lost one -------------------------------------------------------------------


def send_lost(device: str, lost_too: bool) -> int:
    """Send rows as the send window allows, those whose messages the broker lost among them."""
    now = timezone.now()
    for route in routes(device) if lost_too else []:
        for priority in Priority:
            for part in batched(missing(route, priority, now), dispatch.CHUNK):
                dispatch.unsend(not_held(part))
    return dispatch.fill(device)


def missing(route: Route, priority: Priority, now: datetime) -> list[tuple[uuid.UUID, int]]:
    """Return rows that have been queued for longer than a message in its queue or with a worker explains."""
    sent = route.waiting().filter(priority=priority, sent_at__isnull=False)
    due = sent.filter(sent_at__lt=now - patience())
    in_queue = client().llen(route.messages(priority))
    if in_queue:
        due = due.filter(sent_at__lt=now - OLD) if sent.count() > in_queue else due.none()
    return list(due.order_by("created_at").values_list("pk", "attempt"))


def not_held(rows: list[tuple[uuid.UUID, int]]) -> list[uuid.UUID]:
    """Return the rows that no worker holds. An attempt that ended without a report gets a new number first."""
    longest = LOCK_LEASES * settings.LEASE_SECONDS
    holder_of = dict(zip(rows, holders(client(), rows, longest), strict=True))
    for (pk, attempt), holder in holder_of.items():
        if holder == DONE:
            leases.requeue(leases.held(pk, attempt))
    return [pk for (pk, _), holder in holder_of.items() if holder in (None, DONE)]


def patience() -> timedelta:
    return timedelta(seconds=settings.LEASE_SECONDS)


# --- The site's own jobs: ingest, release, export -----------------------------------------------------------------


def sweep_site_jobs() -> int:
    """Do the same two repairs for each kind of job that a stage has registered."""
    idle = not client().llen(SITE_QUEUE)
    count = 0
    for model, resend in job_row.RESENDERS.items():
        rows = [row.pk for row in job_row.requeue_expired(model)]
        if idle:
            rows += [pk for pk in job_row.waiting_since(model, timezone.now() - patience()) if pk not in rows]
        for pk in rows:
            resend(pk)
        count += len(rows)
    return count


# --- Time of the last sweep ---------------------------------------------------------------------------------------

SWEPT = "concur:swept"  # expires, so that its remaining time gives its age by the broker's clock
REMEMBERED_SECONDS = 24 * 3600


def note_sweep() -> None:
    client().set(SWEPT, 1, ex=REMEMBERED_SECONDS)


def seconds_since_last_sweep() -> int | None:
    """Return the age of the last sweep; None if the broker knows of none. Raises BROKER_ERRORS."""
    with circuit.attempt():
        left = int(client().ttl(SWEPT))  # type: ignore[arg-type]
    return REMEMBERED_SECONDS - left if left >= 0 else None
