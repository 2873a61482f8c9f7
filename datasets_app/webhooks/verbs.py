"""What administrators do with webhooks. The audit log names the host alone: a path may contain a secret."""

from __future__ import annotations

from collections.abc import Collection

from django.db import transaction
from django.utils import timezone

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.jobs.enqueue import enqueue
from datasets_app.models import JobState, Webhook, WebhookDelivery, WebhookEvent
from datasets_app.models.webhook import PING
from datasets_app.webhooks.endpoint import parse_url
from datasets_app.webhooks.errors import WebhookError
from datasets_app.webhooks.events import TASK, queue
from datasets_app.webhooks.signature import give_secret

MOST_WEBHOOKS = 20


@needs(Scope.ADMIN)
def create(url: str, events: Collection[str], *, actor: Actor) -> tuple[Webhook, str]:
    """Store a webhook. Return it with its secret, which is shown only once. Raises WebhookError."""
    webhook = Webhook(url=checked_url(url), events=checked_events(events), created_by=actor.user)
    if Webhook.objects.count() >= MOST_WEBHOOKS:
        raise WebhookError(f"There are {MOST_WEBHOOKS} webhooks, the most that a site has: delete one first.")
    secret = give_secret(webhook)
    with transaction.atomic():
        webhook.save()
        audit.record(actor, "webhook.create", webhook, host=webhook.host, events=webhook.events)
    return webhook, secret


@needs(Scope.ADMIN)
def change(webhook: Webhook, url: str, events: Collection[str], *, actor: Actor) -> None:
    """Change where a webhook leads and what it is told about; the secret stays. Raises WebhookError."""
    webhook.url, webhook.events = checked_url(url), checked_events(events)
    with transaction.atomic():
        webhook.save(update_fields=["url", "events"])
        audit.record(actor, "webhook.change", webhook, host=webhook.host, events=webhook.events)


@needs(Scope.ADMIN)
def new_secret(webhook: Webhook, *, actor: Actor) -> str:
    """Replace the secret and return the new one, which is shown only once. What is sent from now on is signed by it."""
    secret = give_secret(webhook)
    with transaction.atomic():
        webhook.save(update_fields=["salt", "secret_sha256"])
        audit.record(actor, "webhook.secret", webhook, host=webhook.host)
    return secret


@needs(Scope.ADMIN)
def switch_off(webhook: Webhook, *, note: str = "", actor: Actor) -> bool:
    """Send nothing more to a webhook. Return False if it was off."""
    with transaction.atomic():
        switched = Webhook.objects.active().filter(pk=webhook.pk)
        if not switched.update(disabled_at=timezone.now(), disabled_note=note):
            return False
        audit.record(actor, "webhook.off", webhook, host=webhook.host)
    return True


@needs(Scope.ADMIN)
def switch_on(webhook: Webhook, *, actor: Actor) -> bool:
    """Send events to a webhook again, from now on. Return False if it was on."""
    with transaction.atomic():
        switched = Webhook.objects.filter(pk=webhook.pk, disabled_at__isnull=False)
        if not switched.update(disabled_at=None, disabled_note="", enabled_at=timezone.now()):
            return False
        audit.record(actor, "webhook.on", webhook, host=webhook.host)
    return True


@needs(Scope.ADMIN)
def delete(webhook: Webhook, *, actor: Actor) -> None:
    """Delete a webhook with its deliveries."""
    with transaction.atomic():
        audit.record(actor, "webhook.delete", webhook, host=webhook.host)
        webhook.delete()


@needs(Scope.ADMIN)
def send_test(webhook: Webhook, *, actor: Actor) -> WebhookDelivery:
    """Send a ping to a webhook, also to one that is switched off. It is tried once."""
    with transaction.atomic():
        audit.record(actor, "webhook.test", webhook, host=webhook.host)
        return queue(webhook, PING, {"sent_by": actor.name})


@needs(Scope.ADMIN)
def send_again(delivery: WebhookDelivery, *, actor: Actor) -> bool:
    """Send a delivery again at once, with all its attempts: same body, same id. Return False if it is being sent.

    Raises WebhookError if the webhook is switched off.
    """
    if not delivery.webhook.is_active and delivery.event != PING:
        raise WebhookError("The webhook is switched off: switch it on first.")
    with transaction.atomic():
        idle = WebhookDelivery.objects.filter(pk=delivery.pk).exclude(state=JobState.RUNNING)
        queued = {"state": JobState.QUEUED, "attempt": 0, "error": "", "next_attempt_at": timezone.now()}
        if not idle.update(**queued, started_at=None, finished_at=None, status_code=None):
            return False
        audit.record(actor, "webhook.again", delivery, host=delivery.webhook.host)
        enqueue(TASK, delivery.pk)
    return True


def checked_url(url: str) -> str:
    parse_url(url.strip())
    return url.strip()


def checked_events(events: Collection[str]) -> list[str]:
    """Return the events in their order. Raises WebhookError for none, and for one that there is not."""
    if unknown := sorted(set(events) - set(WebhookEvent.values)):
        choices = ", ".join(WebhookEvent.values)
        raise WebhookError(f"There is no event {unknown[0][:40]!r}; these are: {choices}.", "events")
    if not events:
        raise WebhookError("Choose at least one event.", "events")
    return [event for event in WebhookEvent.values if event in events]
