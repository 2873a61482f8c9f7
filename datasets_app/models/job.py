"""Base of background jobs: a state, and the lease that the worker renews."""

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils import timezone


class JobState(models.TextChoices):
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class Job(models.Model):
    """A background job. The row is authoritative; the broker's message only wakes a worker."""

    MAX_ATTEMPTS: ClassVar[int] = 3

    state = models.CharField(max_length=10, choices=JobState, default=JobState.QUEUED, db_index=True)
    attempt = models.PositiveSmallIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True

    @classmethod
    def due(cls) -> Q:
        """Return the condition under which a queued row may be worked on now; by default always."""
        return Q()

    @property
    def is_finished(self) -> bool:
        return self.state in (JobState.DONE, JobState.FAILED)

    @property
    def seconds_taken(self) -> float:
        """Return the seconds from the start to the end, or until now; 0 before the start."""
        if self.started_at is None:
            return 0.0
        return ((self.finished_at or timezone.now()) - self.started_at).total_seconds()
