"""The sweeper: nothing that was asked for stays lost, whichever process or broker died.

It looks at rows only, and every change is one conditional UPDATE: several sweepers do no harm.
"""

import logging
import uuid
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone

import datasets_app.tasks  # noqa: F401  (tells job_row.RESENDERS how each stage's tasks are sent)
from datasets_app.broker import circuit
from datasets_app.bulk.forgetting import forget_changes
from datasets_app.db import facet_index
from datasets_app.jobs import job_row
from datasets_app.maintenance.runs import request_search
from datasets_app.models import Priority, Verification, WantedDevice
from datasets_app.models.verification_queryset import VerificationQuerySet
from eval_app.broker.celery_app import SITE_QUEUE, message_list
from eval_app.broker.message_locks import DONE, LOCK_LEASES, holders
from eval_app.queue import dispatch, leases
from eval_app.request.verify import Outcome, chunks, site_report
from eval_app.results.record import record_report
from eval_app.results.staleness import note_changes

log = logging.getLogger(__name__)
MAX_LOST = 3
OLD = timedelta(minutes=10)  # a message that is not found for so long is sent again though others wait


@dataclass
class Swept:
    """What one sweep did."""

    handed_on: int = 0
    given_up: int = 0
    sent_again: int = 0
    other_jobs: int = 0

    def __bool__(self) -> bool:
        return any(asdict(self).values())


def sweep(leases_too: bool = True) -> Swept:
    """Hand on what dead workers held, send what the broker lost; the same for the site's own jobs.

    Without `leases_too` no lease is ended: the site may not have heard what its hosts have said.
    """
    swept = Swept()
    if leases_too:
        hand_on(swept)
    facet_index.compact_backlog()
    request_search()
    forget_changes()
    note_changes()
    try:
        swept.sent_again = sum(send_lost(device) for device in WantedDevice.values)
        swept.other_jobs = sweep_site_jobs()
        note_sweep()
    except dispatch.BROKER_ERRORS as error:
        log.warning("The broker does not answer, what waits will be sent later: %s", error)
    if swept:
        log.info(
            "Swept: %(handed_on)d handed on, %(given_up)d given up, %(sent_again)d sent again, "
            "%(other_jobs)d other jobs",
            asdict(swept),
        )
    return swept


# --- Rows whose worker died ---------------------------------------------------------------------------------


def hand_on(swept: Swept) -> None:
    for row in Verification.objects.lease_expired(timezone.now()):
        loss = f"Attempt {row.attempt}: {row.worker or 'a worker'} stopped answering in stage {row.stage or '?'!r}."
        history = f"{row.error}\n{loss}".strip()
        if row.lost + 1 >= MAX_LOST:
            swept.given_up += give_up(row, history)
        else:
            swept.handed_on += leases.requeue(still_expired(row), lost=row.lost + 1, error=history)


def still_expired(row: Verification) -> VerificationQuerySet:
    expired = Verification.objects.lease_expired(timezone.now())
    return expired.filter(pk=row.pk, attempt=row.attempt)


def give_up(row: Verification, history: str) -> bool:
    """A row that cost three workers ends as a fault of ours, with what is known; never as a verdict."""
    if not still_expired(row).update(error=history, lost=row.lost + 1):
        return False
    detail = f"Given up after {MAX_LOST} workers stopped answering while they ran it.\n{history}"
    report = site_report(row.sample_id, Outcome.INFRA_ERROR, detail)
    return record_report(row.pk, row.attempt, report.to_dict())


# --- Rows without a message, or whose message is lost ----------------------------------------------------------


def send_lost(device: str) -> int:
    """Send what there is room for, and first what the broker lost: those rows are the oldest."""
    now = timezone.now()
    for priority in Priority:
        for part in chunks(missing(device, priority, now), dispatch.CHUNK):
            dispatch.unsend(without_claim(part))
    return dispatch.fill(device)


def missing(device: str, priority: Priority, now: datetime) -> list[tuple[uuid.UUID, int]]:
    """Rows that wait longer than a message that is neither in its queue nor with a worker would explain."""
    sent = Verification.objects.waiting().filter(
        wanted_device=device, priority=priority, sent_at__isnull=False
    )
    due = sent.filter(sent_at__lt=now - patience())
    in_queue = dispatch.broker().llen(message_list(device, priority))
    if in_queue:
        due = due.filter(sent_at__lt=now - OLD) if sent.count() > in_queue else due.none()
    return list(due.order_by("created_at").values_list("pk", "attempt"))


def without_claim(rows: list[tuple[uuid.UUID, int]]) -> list[uuid.UUID]:
    """Those that no worker has. An attempt that ended without its report gets a new number first."""
    longest = LOCK_LEASES * settings.LEASE_SECONDS
    found = dict(zip(rows, holders(dispatch.broker(), rows, longest), strict=True))
    for (pk, attempt), holder in found.items():
        if holder == DONE:
            leases.requeue(leases.held(pk, attempt))
    return [pk for (pk, _), holder in found.items() if holder in (None, DONE)]


def patience() -> timedelta:
    return timedelta(seconds=settings.LEASE_SECONDS)


# --- The site's own jobs: ingest, release, export -----------------------------------------------------------------


def sweep_site_jobs() -> int:
    """The same two repairs for every kind of job that a stage has registered."""
    idle = not dispatch.broker().llen(SITE_QUEUE)
    handed_on = 0
    for model, resend in job_row.RESENDERS.items():
        rows = [row.pk for row in job_row.requeue_expired(model)]
        if idle:
            rows += [pk for pk in job_row.waiting_since(model, timezone.now() - patience()) if pk not in rows]
        for pk in rows:
            resend(pk)
        handed_on += len(rows)
    return handed_on


# --- When it was last done ----------------------------------------------------------------------------------------

SWEPT = "concur:swept"  # a key that runs out: how much of its time is left says how old it is, by one clock
REMEMBERED_SECONDS = 24 * 3600


def note_sweep() -> None:
    dispatch.broker().set(SWEPT, 1, ex=REMEMBERED_SECONDS)


def seconds_since_last_sweep() -> int | None:
    """None where the broker knows of none. Raises BROKER_ERRORS."""
    with circuit.attempt():
        left = int(dispatch.broker().ttl(SWEPT))  # type: ignore[arg-type]
    return REMEMBERED_SECONDS - left if left >= 0 else None
