"""Records facts for webhooks: a delivery for each that listens, in the transaction that stores the fact."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import orjson
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from datasets_app.jobs.enqueue import enqueue
from datasets_app.models import Export, Publication, Release, Webhook, WebhookDelivery, WebhookEvent

TASK = "datasets_app.deliver_webhook"


def record_release(event: WebhookEvent, release: Release) -> None:
    """Record a fact about a release, as it is stored now. Call it in the transaction of the fact."""
    record(event, lambda: {"release": release_facts(release)})


def record_frozen(release: Release) -> None:
    """Record that a release was frozen and, if that was decided before, that it is public from now on."""
    record_release(WebhookEvent.RELEASE_FROZEN, release)
    if publication_of(release).is_public:
        record_release(WebhookEvent.RELEASE_PUBLISHED, release)


def record_export(event: WebhookEvent, export: Export) -> None:
    """Record that a file of a release was written or failed. Call it in the transaction of the fact."""
    record(event, lambda: {"release": release_facts(export.release), "file": file_facts(export)})


def record(event: WebhookEvent, facts: Callable[[], dict[str, Any]]) -> None:
    """Queue a delivery of what `facts()` returns for each webhook that listens to the event.

    Costs one query where none listens. A task sends the deliveries after the commit; the sweeper sends lost ones.
    """
    listening = [webhook for webhook in Webhook.objects.active() if event in webhook.events]
    if listening:
        told = facts()
        for webhook in listening:
            queue(webhook, event, told)


def queue(webhook: Webhook, event: str, facts: dict[str, Any]) -> WebhookDelivery:
    """Store one delivery and send its message after the commit."""
    pk = uuid.uuid4()
    head = {
        "event": str(event),
        "delivery": str(pk),
        "created_at": timezone.now().isoformat(timespec="seconds"),
    }
    body = orjson.dumps(head | facts).decode()
    with transaction.atomic():
        delivery = WebhookDelivery.objects.create(id=pk, webhook=webhook, event=event, body=body)
        enqueue(TASK, pk)
    return delivery


def release_facts(release: Release) -> dict[str, Any]:
    publication = publication_of(release)
    return {
        "name": release.name,
        "title": release.title,
        "rows": release.row_count,
        "tasks": release.task_count,
        "splits": dict(release.splits),
        "device": release.device,
        "content_sha256": release.content_sha256,
        "frozen_at": release.finished_at.isoformat(timespec="seconds") if release.finished_at else None,
        "visibility": str(publication.visibility),
        "yank_reason": publication.yank_reason,
        "page": reverse("release", args=[release.name]),
        "api": reverse("api-release", args=[release.name]),
    }


def publication_of(release: Release) -> Publication:
    """Return the release's publication as it is stored now, or with the defaults."""
    return Publication.objects.filter(release=release).first() or Publication(release=release)


def file_facts(export: Export) -> dict[str, Any]:
    return {
        "path": export.path,
        "format": export.format,
        "options": export.options,
        "split": export.split,
        "records": export.records,
        "size_bytes": export.size_bytes,
        "sha256": export.sha256,
        "error": export.error,
        "download": reverse("release-file", args=[export.release.name, export.path]),
    }
