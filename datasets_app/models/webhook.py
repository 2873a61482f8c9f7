"""Webhooks: addresses outside the site that are told about releases, their files and alerts, and their deliveries."""

from __future__ import annotations

import uuid
from typing import ClassVar
from urllib.parse import urlsplit

from django.conf import settings
from django.db import models
from django.db.models import OuterRef, Q, Subquery
from django.utils import timezone

from datasets_app.models.job import Job, JobState

LONGEST_URL = 500
PING = "ping"  # a test, sent by hand; no webhook needs to choose it
OUTCOMES = {JobState.DONE.value: "delivered", JobState.FAILED.value: "given_up"}


class WebhookEvent(models.TextChoices):
    RELEASE_FROZEN = "release.frozen", "a release is frozen"
    RELEASE_PUBLISHED = "release.published", "a release becomes public"
    RELEASE_YANKED = "release.yanked", "a release is yanked"
    EXPORT_FINISHED = "export.finished", "a file of a release is written"
    EXPORT_FAILED = "export.failed", "a file of a release cannot be written"
    ALERT_RAISED = "alert.raised", "something is wrong with the site's operation"
    ALERT_CLEARED = "alert.cleared", "what was wrong is over"


class WebhookQuerySet(models.QuerySet["Webhook"]):
    def active(self) -> WebhookQuerySet:
        return self.filter(disabled_at=None)

    def with_latest_delivery(self) -> WebhookQuerySet:
        """Add the state and the time of the newest delivery, None where there is none."""
        newest = WebhookDelivery.objects.filter(webhook=OuterRef("pk")).order_by("-created_at", "-id")
        return self.annotate(
            latest_state=Subquery(newest.values("state")[:1]),
            latest_at=Subquery(newest.values("created_at")[:1]),
        )


class Webhook(models.Model):
    """An address that events are sent to. Its secret is derived (see datasets_app.webhooks.signature), never stored."""

    url = models.CharField(max_length=LONGEST_URL)
    events = models.JSONField(default=list, help_text="values of WebhookEvent that it is told about")
    salt = models.CharField(max_length=64, help_text="of its secret; a new one makes a new secret")
    secret_sha256 = models.CharField(
        max_length=64, help_text="of its secret, to notice that the site's secret key has changed"
    )
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    disabled_at = models.DateTimeField(null=True, blank=True, help_text="empty: events are sent")
    disabled_note = models.CharField(
        max_length=200, blank=True, help_text="why the site itself switched it off; empty: a person did"
    )
    enabled_at = models.DateTimeField(default=timezone.now, help_text="when it was made or last switched on")

    objects = WebhookQuerySet.as_manager()

    latest_state: str | None  # added by with_latest_delivery

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return f"webhook {self.pk}"

    @property
    def latest_outcome(self) -> str:
        """Return the state of the newest delivery in the words of deliveries; '' without one."""
        return OUTCOMES.get(self.latest_state or "", self.latest_state or "")

    @property
    def is_active(self) -> bool:
        return self.disabled_at is None

    @property
    def host(self) -> str:
        """Return the host of the URL, the rest of which may be secret."""
        return urlsplit(self.url).hostname or ""

    @property
    def event_words(self) -> list[str]:
        """Return what it is told about, in words, in the order of the events."""
        return [event.label for event in WebhookEvent if event in self.events]


class WebhookDeliveryQuerySet(models.QuerySet["WebhookDelivery"]):
    def finished(self) -> WebhookDeliveryQuerySet:
        return self.filter(state__in=(JobState.DONE, JobState.FAILED))


class WebhookDelivery(Job):
    """One event for one webhook, sent until it is answered with success or given up.

    `finished_at` of one that is done is when it was delivered; `error` is the fault of the last attempt.
    """

    MAX_ATTEMPTS: ClassVar[int] = 6

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    event = models.CharField(max_length=20, help_text="a value of WebhookEvent, or ping")
    body = models.TextField(help_text="the JSON as it is sent")
    status_code = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="of the last answer; empty: none arrived"
    )
    next_attempt_at = models.DateTimeField(default=timezone.now)

    objects = WebhookDeliveryQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-id"]
        verbose_name_plural = "webhook deliveries"
        indexes = [
            models.Index(fields=["webhook", "-created_at"], name="delivery_newest"),
            models.Index(fields=["created_at"], name="delivery_oldest"),
        ]

    def __str__(self) -> str:
        return f"delivery {self.pk}"

    @classmethod
    def due(cls) -> Q:
        return Q(next_attempt_at__lte=timezone.now())

    @property
    def outcome(self) -> str:
        """Return its state in the words of deliveries."""
        return OUTCOMES.get(self.state, self.state)

    @property
    def can_be_sent_again(self) -> bool:
        return self.state != JobState.RUNNING and (self.webhook.is_active or self.event == PING)
