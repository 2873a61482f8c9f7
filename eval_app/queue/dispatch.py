"""Messages to the workers: one a verification, with everything that a host without a database needs."""

import logging
import uuid
from collections.abc import Iterable
from typing import Any

from celery import current_app
from django.conf import settings
from django.utils import timezone

from datasets_app.broker import BROKER_ERRORS, circuit
from datasets_app.broker import client as broker
from datasets_app.models import Verification
from datasets_app.models.priority import FEW
from eval_app.broker.celery_app import DEVICE_KINDS, VERIFY_TASK, verify_queue
from eval_app.broker.message_locks import finish_all
from eval_app.broker.messages import site_key
from eval_app.queue import send_window
from eval_app.request.verify import ContractError, Outcome, chunks, job_for, site_report

log = logging.getLogger(__name__)
CHUNK = 100


def message(row: Verification) -> dict[str, Any]:
    """What a worker gets: which row and attempt, on what, the lease's length, and the job itself."""
    return {
        "verification": str(row.pk),
        "attempt": row.attempt,
        "nonce": site_key.nonce(row.pk, row.attempt),
        "device": row.wanted_device,
        "lease_seconds": settings.LEASE_SECONDS,
        "job": job_for(row.sample, row.profile, inspect=row.inspect),
    }


def send_after_commit(ids: list[uuid.UUID]) -> None:
    """Have new rows sent: a few that go first now, all others by a site worker as there is room for them.

    A broker that is down costs nothing: the rows wait, and the sweeper sends them.
    """
    from eval_app.tasks import fill_queues

    try:
        now = send_window.at_once(ids) if len(ids) <= FEW else []
        send(now)
        if len(now) < len(ids):
            with circuit.attempt():
                fill_queues.apply_async(retry=False)
    except BROKER_ERRORS as error:
        log.warning("%d verifications wait for the broker, which does not answer: %s", len(ids), error)


def fill_all() -> None:
    """Send what there is room for; where the broker is down, the sweeper does it later."""
    try:
        for device in DEVICE_KINDS:
            fill(device)
    except BROKER_ERRORS as error:
        log.warning("What waits is sent later, the broker does not answer: %s", error)


def fill(device: str) -> int:
    """Send what there is room for. Returns how many went out; raises BROKER_ERRORS."""
    return send(send_window.next_rows(device))


def send(ids: Iterable[uuid.UUID]) -> int:
    """Send a message for each of these rows that waits for one. Returns how many went out; raises BROKER_ERRORS."""
    return sum(send_rows(marked(part)) for part in chunks(ids, CHUNK))


def marked(ids: list[uuid.UUID]) -> list[Verification]:
    """Those of the rows that nobody else sends meanwhile: they are marked as sent before they are."""
    moment = timezone.now()
    waiting = Verification.objects.waiting().filter(pk__in=ids)
    if not waiting.filter(sent_at=None).update(sent_at=moment):
        return []
    rows = waiting.filter(sent_at=moment).select_related("sample__body", "sample__task__body")
    return list(rows.defer("sample__body__reasoning").order_by("priority", "created_at", "id"))


def send_rows(rows: list[Verification]) -> int:
    """Rows whose sending fails are unmarked; one that went out before it failed may go out twice and is run once."""
    if not rows:
        return 0
    try:
        with circuit.attempt(), current_app.producer_or_acquire() as producer:
            return sum(send_row(row, producer) for row in rows)
    except BROKER_ERRORS:
        unsend([row.pk for row in rows])
        raise


def unsend(ids: list[uuid.UUID]) -> int:
    """Rows that wait without a message after all."""
    return Verification.objects.waiting().filter(pk__in=ids).update(sent_at=None)


def send_row(row: Verification, producer: Any) -> bool:
    try:
        content = message(row)
    except ContractError as error:
        refuse(row, f"The engine cannot take this sample: {error}")
        return False
    current_app.send_task(
        VERIFY_TASK,
        args=[content],
        queue=verify_queue(row.wanted_device),
        priority=row.priority,
        task_id=f"{row.pk}:{row.attempt}",
        producer=producer,
        retry=False,
    )
    return True


def refuse(row: Verification, reason: str) -> None:
    from eval_app.results.record import record_report

    report = site_report(row.sample_id, Outcome.UNSUPPORTED, reason)
    record_report(row.pk, row.attempt, report.to_dict())


def forget(verification_id: object, attempts: int) -> None:
    """Have workers drop this row's messages of all attempts so far; one may lie in a queue for weeks."""
    forget_all([(verification_id, attempts)])


def forget_all(rows: Iterable[tuple[object, int]]) -> None:
    """The same for many: each with its number of attempts."""
    try:
        with circuit.attempt():
            numbered = [(pk, attempt) for pk, attempts in rows for attempt in range(1, attempts + 1)]
            finish_all(broker(), numbered)
    except BROKER_ERRORS as error:
        log.warning("Could not tell the workers what to drop: %s", error)
