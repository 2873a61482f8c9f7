"""The reading vocabulary of workers."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from django.db import models
from django.utils import timezone

if TYPE_CHECKING:
    from eval_app.models import Worker

ALIVE = timedelta(seconds=45)  # three announcements missed


class WorkerQuerySet(models.QuerySet["Worker"]):
    def alive(self) -> WorkerQuerySet:
        """Announced within the last three beats, and not stopped since."""
        return self.filter(seen_at__gte=timezone.now() - ALIVE).exclude(state="stopped")

    def ready(self) -> WorkerQuerySet:
        return self.alive().filter(state="ready")
