"""Hosts that may verify, and the workers that run on them."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone

from datasets_app.models.verification import WantedDevice
from eval_app.broker.messages.keys import NAME, NAME_RULE


def every_kind() -> list[str]:
    """Return all kinds of device: the default of what a host may serve."""
    return list(WantedDevice.values)


class Host(models.Model):
    """A machine, or a group of machines with one key, whose workers may take jobs and report."""

    class Hold(models.TextChoices):
        """Why a host takes nothing new; empty if it does."""

        PAUSED = "paused"
        DRAINING = "draining"

    name = models.CharField(
        max_length=60, unique=True, validators=[RegexValidator(rf"^{NAME.pattern}\Z", NAME_RULE)]
    )
    public_key = models.CharField(max_length=64, help_text="Ed25519, in hex")
    kinds = models.JSONField(default=every_kind, help_text="kinds of device that it may report on")
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    revoked_at = models.DateTimeField(null=True, blank=True)
    hold = models.CharField(
        max_length=10,
        choices=Hold,
        blank=True,
        help_text="paused: its running verifications go to others; draining: it finishes them first",
    )
    held_at = models.DateTimeField(null=True, blank=True)
    seen_at = models.DateTimeField(null=True, blank=True, help_text="when its last message was accepted")
    refused_at = models.DateTimeField(null=True, blank=True)
    refusal = models.CharField(
        max_length=500,
        blank=True,
        help_text="why its newest message was refused; empty after an accepted one",
    )

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


ALIVE = timedelta(seconds=45)  # three announcements missed


class WorkerQuerySet(models.QuerySet["Worker"]):
    """Queries for workers."""

    def alive(self) -> WorkerQuerySet:
        """Return the workers that announced themselves within the last three intervals and have not stopped since."""
        return self.filter(seen_at__gte=timezone.now() - ALIVE).exclude(state="stopped")

    def ready(self) -> WorkerQuerySet:
        """Return the workers that passed their self-test and take jobs."""
        return self.alive().filter(state="ready")


class Worker(models.Model):
    """A machine that verifies, as it last announced itself."""

    class State(models.TextChoices):
        TESTING = "testing", "running its self-test"
        READY = "ready"
        UNHEALTHY = "unhealthy"
        STOPPED = "stopped"

    name = models.CharField(max_length=120, unique=True)
    state = models.CharField(max_length=10, choices=State, default=State.TESTING)
    devices = models.JSONField(default=list, help_text="kind and name of each device")
    queues = models.JSONField(default=list, help_text="kinds of device whose queues it serves")
    versions = models.JSONField(default=dict)
    sandbox = models.CharField(max_length=20, blank=True)
    healthy = models.BooleanField(default=False, help_text="its self-test passed")
    health_detail = models.TextField(blank=True)
    lanes = models.PositiveSmallIntegerField(default=0, help_text="verifications that it can run at once")
    busy = models.PositiveSmallIntegerField(default=0, help_text="verifications that it runs now")
    hold = models.CharField(max_length=10, blank=True, help_text="the hold of its host that it obeys")
    started_at = models.DateTimeField(null=True, blank=True)
    seen_at = models.DateTimeField(db_index=True)

    host = models.ForeignKey(
        Host,
        on_delete=models.CASCADE,
        null=True,
        related_name="workers",
        help_text="whose key signs its messages",
    )
    sequence = models.BigIntegerField(
        default=0, help_text="of its newest message; an older message is a replay"
    )

    objects = WorkerQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(
                name="worker_ready_is_healthy", condition=~Q(state="ready") | Q(healthy=True)
            ),
        ]

    def __str__(self) -> str:
        return self.name
