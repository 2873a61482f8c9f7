"""Messages to the workers: one per verification, with everything that a host without a database needs."""

import logging
import uuid
from collections.abc import Iterable
from typing import Any

from celery import current_app
from django.utils import timezone

from datasets_app.broker import BROKER_ERRORS, circuit
from datasets_app.db.batched import batched
from datasets_app.log_context.context import on_job, verification_job
from datasets_app.models import Verification
from datasets_app.models.priority import FEW
from eval_app.attempts import leases
from eval_app.broker.celery_app import DEVICE_KINDS, VERIFY_TASK
from eval_app.engine import ContractError, Outcome
from eval_app.queue import send_window
from eval_app.queue.job import message
from eval_app.queue.routes import Route, route_of, routes_to_fill
from eval_app.results.record import record_report
from eval_app.results.site_report import site_report

log = logging.getLogger(__name__)
CHUNK = 100
FILL_TASK = "eval_app.fill_queues"


def send_after_commit(ids: list[uuid.UUID]) -> None:
    """Send new rows: a few of the highest priority now, all others by a site worker as the send window allows.

    If the broker is down, the rows wait and the sweeper sends them.
    """
    try:
        now = send_window.at_once(ids) if len(ids) <= FEW else []
        send(now)
        if len(now) < len(ids):
            with circuit.attempt():
                current_app.send_task(FILL_TASK, retry=False)
    except BROKER_ERRORS as error:
        log.warning("%d verifications wait for the broker, which does not answer: %s", len(ids), error)


def fill_route(route: Route) -> None:
    """Fill the queue of one route, in which a report made room. If the broker is down, the sweeper does it later."""
    try:
        send(send_window.next_rows(route))
    except BROKER_ERRORS as error:
        log.warning("Queued rows are sent later, because the broker does not answer: %s", error)


def fill_all() -> None:
    """Fill the queues of all kinds of device. If the broker is down, the sweeper does it later."""
    try:
        for device in DEVICE_KINDS:
            fill(device)
    except BROKER_ERRORS as error:
        log.warning("Queued rows are sent later, because the broker does not answer: %s", error)


def fill(device: str) -> int:
    """Send as many rows as the send windows of the device's routes have room for; return how many. Raises
    BROKER_ERRORS."""
    return sum(send(send_window.next_rows(route)) for route in routes_to_fill(device))


def send(ids: Iterable[uuid.UUID]) -> int:
    """Send a message for each of these rows that is queued without one; return how many. Raises BROKER_ERRORS."""
    return sum(send_rows(marked(part)) for part in batched(ids, CHUNK))


def marked(ids: list[uuid.UUID]) -> list[Verification]:
    """Mark rows as sent before they are, so that no other process sends them; return those that this one marked, in
    the order of the ids."""
    moment = timezone.now()
    waiting = Verification.runs.waiting().filter(pk__in=ids)
    if not waiting.filter(sent_at=None).update(sent_at=moment):
        return []
    rows = {row.pk: row for row in waiting.filter(sent_at=moment).with_subject()}
    return [rows[pk] for pk in ids if pk in rows]


def send_rows(rows: list[Verification]) -> int:
    """Send marked rows; after a failure unmark them. A row whose message went out before the failure may be sent
    twice, and a message lock makes it run once."""
    if not rows:
        return 0
    try:
        with circuit.attempt(), current_app.producer_or_acquire() as producer:
            return sum(send_row(row, producer) for row in rows)
    except BROKER_ERRORS:
        unsend([row.pk for row in rows])
        raise


def unsend(ids: list[uuid.UUID]) -> int:
    """Mark queued rows as having no message."""
    return Verification.runs.waiting().filter(pk__in=ids).update(sent_at=None)


def send_row(row: Verification, producer: Any) -> bool:
    """Publish one row's message; end a row that the engine refuses, and return False."""
    try:
        content = message(row)
    except ContractError as error:
        refuse(row, f"The engine cannot take this sample: {error}")
        return False
    job, queue = verification_job(row.pk, row.attempt), route_of(row).queue
    current_app.send_task(
        VERIFY_TASK,
        args=[content],
        queue=queue,
        priority=row.priority,
        task_id=job,
        producer=producer,
        retry=False,
    )
    with on_job(job):
        log.info("Sent to %s", queue)
    return True


def refuse(row: Verification, reason: str) -> None:
    """End a row as unsupported."""
    report = site_report(row.subject_id, Outcome.UNSUPPORTED, reason)
    record_report(row.pk, row.attempt, report.to_dict())


def give_back(verification_id: object, attempt: int, worker: str | None = None) -> bool:
    """Requeue a row that a stopping worker gave back, and send it; it does not count as a lost worker."""
    if not leases.requeue(leases.held(verification_id, attempt, worker)):
        return False
    send_after_commit([uuid.UUID(str(verification_id))])
    return True
