"""Delivers: one attempt per run of the job, the next one after a pause, and an end after the last."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db.models import Max, Min
from django.utils import timezone

from datasets_app.accounts.actor import SITE
from datasets_app.jobs import job_row
from datasets_app.jobs.heartbeat import heartbeat_thread
from datasets_app.jobs.run import run_claimed
from datasets_app.models import JobState, WebhookDelivery
from datasets_app.models.webhook import PING
from datasets_app.processes.child import ChildError, Limits, call
from datasets_app.webhooks.endpoint import parse_url
from datasets_app.webhooks.errors import WebhookError
from datasets_app.webhooks.post import post
from datasets_app.webhooks.signature import secret_of, signature
from datasets_app.webhooks.verbs import switch_off

ATTEMPT_SECONDS = 10.0  # from the name to the status of the answer
MEMORY_BYTES = 256 * 2**20
PAUSES = [
    timedelta(minutes=n) for n in (1, 10, 60, 5 * 60, 18 * 60)
]  # after each failed attempt but the last
SWITCHED_OFF_AFTER = timedelta(days=3)  # from the first delivery that was given up, without one that arrived
AT_ONCE = 1000  # rows per statement
KEPT = timedelta(days=30)


@dataclass(frozen=True)
class Answer:
    status: int | None  # None: none arrived
    fault: str  # a sentence; empty: delivered


def run(pk: object) -> None:
    """Make the next attempt of a delivery that is queued and due; do nothing otherwise."""
    run_claimed(job_row.claim(WebhookDelivery, pk), deliver, ())


def deliver(delivery: WebhookDelivery) -> None:
    if not delivery.webhook.is_active and delivery.event != PING:
        job_row.fail(delivery, "The webhook was switched off before this was sent.")
        return
    with heartbeat_thread(delivery):
        answer = send(delivery)
    settle(delivery, answer)


def send(delivery: WebhookDelivery) -> Answer:
    """Send the request from a process of its own, which ends at the deadline whatever name servers and host do."""
    try:
        endpoint = parse_url(delivery.webhook.url)
        arguments = (endpoint, delivery.body, headers(delivery), settings.WEBHOOK_NETWORKS)
        answer = call(post, arguments, Limits(ATTEMPT_SECONDS, MEMORY_BYTES))
    except WebhookError as error:
        return Answer(None, str(error))
    except ChildError as error:
        return Answer(None, f"No answer arrived: {error}.")
    status = answer.get("status")
    return Answer(status, fault_of(status) if status else answer["error"])


def headers(delivery: WebhookDelivery) -> dict[str, str]:
    """Return the headers of this attempt. Raises WebhookError if the secret is not the one that was shown."""
    timestamp = int(time.time())
    return {
        "Content-Type": "application/json",
        "User-Agent": "ConCuR-Workbench",
        "Connection": "close",
        "X-Concur-Event": delivery.event,
        "X-Concur-Delivery": str(delivery.pk),
        "X-Concur-Timestamp": str(timestamp),
        "X-Concur-Signature-256": signature(secret_of(delivery.webhook), timestamp, delivery.body),
    }


def fault_of(status: int) -> str:
    """Return what is wrong with an answer of this status; '' for success."""
    if 200 <= status < 300:
        return ""
    if 300 <= status < 400:
        return f"The answer was {status}. Redirects are not followed: enter the address that it leads to."
    return f"The answer was {status}."


def settle(delivery: WebhookDelivery, answer: Answer) -> None:
    """Store how the attempt ended: delivered, to be tried again, or given up. A test is tried once."""
    if not answer.fault:
        job_row.finish(delivery, status_code=answer.status)
    elif delivery.event == PING or delivery.attempt >= delivery.MAX_ATTEMPTS:
        job_row.fail(delivery, answer.fault, status_code=answer.status)
    else:
        next_at = timezone.now() + PAUSES[delivery.attempt - 1]
        job_row.postpone(delivery, answer.fault, status_code=answer.status, next_attempt_at=next_at)


@job_row.on_failure(WebhookDelivery)
def switch_off_if_dead(delivery: WebhookDelivery) -> None:
    """Switch the webhook off if all that ended for some days was given up; tests do not count against it."""
    webhook = delivery.webhook
    delivered = webhook.deliveries.filter(state=JobState.DONE).aggregate(at=Max("finished_at"))["at"]
    since = max(delivered or webhook.enabled_at, webhook.enabled_at)
    given_up = webhook.deliveries.filter(state=JobState.FAILED, finished_at__gt=since).exclude(event=PING)
    first: Any = given_up.aggregate(at=Min("finished_at"))["at"]
    if first and first <= timezone.now() - SWITCHED_OFF_AFTER:
        note = f"Every delivery since {first:%Y-%m-%d %H:%M} was given up, so the site switched it off."
        switch_off(webhook, note=note, actor=SITE)


def forget_deliveries() -> int:
    """Delete deliveries that ended and are older than 30 days, a part at a time; called by the sweeper."""
    old = WebhookDelivery.objects.finished().filter(created_at__lt=timezone.now() - KEPT)
    ids = list(old.order_by("created_at").values_list("pk", flat=True)[:AT_ONCE])
    return WebhookDelivery.objects.filter(pk__in=ids).delete()[0] if ids else 0
