"""Alerts: conditions of the site's operation that somebody should know of, from when until when they held."""

from __future__ import annotations

from datetime import datetime

from django.db import models
from django.db.models import Q


class AlertQuerySet(models.QuerySet["Alert"]):
    """Queries for alerts."""

    def raised(self) -> AlertQuerySet:
        """Return those whose condition still holds."""
        return self.filter(cleared_at=None)


class Alert(models.Model):
    """One time that a rule's condition held for a subject. At most one is raised per rule and subject."""

    rule = models.CharField(max_length=30, help_text="name of the rule; see eval_app.operations.alerts.rules")
    subject = models.CharField(max_length=120, blank=True, help_text="host, device, disk or kind of job")
    sentence = models.CharField(max_length=500, help_text="what is wrong, as of the last time it was seen")
    raised_at = models.DateTimeField()
    seen_at = models.DateTimeField(help_text="when the condition last held")
    cleared_at: models.DateTimeField[datetime | None, datetime | None] = models.DateTimeField(
        null=True, blank=True
    )

    objects = AlertQuerySet.as_manager()

    class Meta:
        ordering = ["-raised_at", "-id"]
        indexes = [models.Index(fields=["-raised_at", "-id"], name="alert_newest")]
        constraints = [
            models.UniqueConstraint(
                name="alert_raised_once", fields=["rule", "subject"], condition=Q(cleared_at=None)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.rule} {self.subject}".strip()

    @property
    def state(self) -> str:
        """Return `raised` or `cleared`."""
        return "raised" if self.cleared_at is None else "cleared"
