"""Messages to the workers: one a verification, with everything that a host without a database needs."""

import logging
import uuid
from collections.abc import Iterable
from functools import cache
from typing import Any

import redis
from celery import current_app
from django.conf import settings
from django.utils import timezone
from kombu.exceptions import OperationalError

from eval_app.broker import VERIFY_TASK, verify_queue
from eval_app.claims import Claims
from eval_app.models import Verification
from eval_app.verify import ContractError, Outcome, chunks, job_for, site_report

log = logging.getLogger(__name__)
SENT_AT_ONCE = 20  # more than these are sent by a site worker
CHUNK = 100
RETRY_POLICY = {"max_retries": 1, "interval_start": 0.1}
BROKER_ERRORS = (OperationalError, redis.RedisError, OSError)


@cache
def broker() -> redis.Redis:
    """The site's own connection to Redis, for claims and the lengths of queues."""
    return redis.Redis.from_url(settings.REDIS_URL, socket_timeout=5, socket_connect_timeout=5)


def message(row: Verification) -> dict[str, Any]:
    """What a worker gets: which row and attempt, on what, how long its silence is borne, and the job itself."""
    return {
        "verification": str(row.pk),
        "attempt": row.attempt,
        "device": row.wanted_device,
        "lease_seconds": settings.LEASE_SECONDS,
        "job": job_for(row.sample, row.profile, inspect=row.inspect),
    }


def send_after_commit(ids: list[uuid.UUID]) -> None:
    """Send new rows' messages. A broker that is down costs nothing: the rows wait, and the sweeper sends them."""
    from eval_app.tasks import send_waiting

    try:
        if len(ids) <= SENT_AT_ONCE:
            send(ids)
        else:
            for part in chunks(ids, 1000):
                send_waiting.apply_async([[str(pk) for pk in part]], retry_policy=RETRY_POLICY)
    except BROKER_ERRORS as error:
        log.warning("%d verifications wait for the broker, which does not answer: %s", len(ids), error)


def send(ids: Iterable[uuid.UUID]) -> int:
    """Send a message for each of these rows that still waits. Returns how many went out; raises BROKER_ERRORS."""
    sent = 0
    for part in chunks(ids, CHUNK):
        waiting = Verification.objects.waiting().filter(pk__in=part).order_by("created_at", "id")
        sent += send_rows(list(waiting.select_related("sample__body", "sample__task__body")))
    return sent


def send_rows(rows: list[Verification]) -> int:
    """Rows are marked as sent before they are, and unmarked if that fails: nobody else sends them meanwhile."""
    marked = Verification.objects.waiting().filter(pk__in=[row.pk for row in rows])
    marked.update(sent_at=timezone.now())
    try:
        with current_app.producer_or_acquire() as producer:
            return sum(send_row(row, producer) for row in rows)
    except BROKER_ERRORS:
        marked.update(sent_at=None)
        raise


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
        task_id=f"{row.pk}:{row.attempt}",
        producer=producer,
        retry_policy=RETRY_POLICY,
    )
    return True


def refuse(row: Verification, reason: str) -> None:
    from eval_app.record import record_report

    report = site_report(row.sample_id, Outcome.UNSUPPORTED, reason)
    record_report(row.pk, row.attempt, report.to_dict())


def forget(verification_id: object, attempts: int) -> None:
    """Have workers drop this row's messages of all attempts so far; one may lie in a queue for weeks."""
    claims = Claims(broker(), "site")
    try:
        for attempt in range(1, attempts + 1):
            claims.finish(verification_id, attempt)
    except BROKER_ERRORS as error:
        log.warning("Could not tell the workers to drop %s: %s", verification_id, error)
