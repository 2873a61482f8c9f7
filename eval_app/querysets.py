"""The reading vocabulary of verifications and workers."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.db import models
from django.utils import timezone

if TYPE_CHECKING:
    from eval_app.models import Verification, Worker

    VerificationBase = models.QuerySet[Verification]
    WorkerBase = models.QuerySet[Worker]
else:
    VerificationBase = WorkerBase = models.QuerySet

ALIVE = timedelta(seconds=45)  # three announcements missed


class VerificationQuerySet(VerificationBase):
    def for_list(self) -> VerificationQuerySet:
        return self.select_related("sample__task", "requested_by")

    def unfinished(self) -> VerificationQuerySet:
        return self.filter(state__in=["queued", "running"])

    def finished(self) -> VerificationQuerySet:
        return self.filter(state="done")

    def lease_expired(self, now: datetime) -> VerificationQuerySet:
        return self.filter(state="running", lease_until__lt=now)


class WorkerQuerySet(WorkerBase):
    def alive(self) -> WorkerQuerySet:
        return self.filter(seen_at__gte=timezone.now() - ALIVE)
