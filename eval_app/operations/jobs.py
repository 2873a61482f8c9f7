"""Background jobs of the site: ingests, freezes, exports, bulk actions, maintenance, syntheses, webhooks."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache

from django.db.models import Count, Min, Q
from django.utils import timezone

from datasets_app.models import Job, JobState
from datasets_app.processes import kinds

RECENT = timedelta(days=1)


@dataclass(frozen=True)
class JobCounts:
    """The unfinished jobs of one kind, and those that failed within the last day."""

    kind: str
    queued: int
    running: int
    failed: int
    oldest: datetime | None  # when the oldest queued one was asked for


@dataclass(frozen=True)
class FailedJob:
    kind: str
    pk: object
    name: str
    error: str
    at: datetime


@cache
def models() -> dict[str, type[Job]]:
    """Return the model of every kind of job."""
    kinds.load()
    return {kind.name: kind.model for kind in kinds.KINDS.values()}


def counts() -> list[JobCounts]:
    """Return an entry per kind; one query each over what is not done, which the index of states serves."""
    since = timezone.now() - RECENT
    return [counts_of(kind, model, since) for kind, model in sorted(models().items())]


def counts_of(kind: str, model: type[Job], since: datetime) -> JobCounts:
    queued = Q(state=JobState.QUEUED)
    open_or_failed = model._default_manager.order_by().filter(
        state__in=(JobState.QUEUED, JobState.RUNNING, JobState.FAILED)
    )
    row = open_or_failed.aggregate(
        queued=Count("pk", filter=queued),
        running=Count("pk", filter=Q(state=JobState.RUNNING)),
        failed=Count("pk", filter=Q(state=JobState.FAILED, finished_at__gte=since)),
        oldest=Min("created_at", filter=queued),
    )
    return JobCounts(kind, **row)


def newest_failures(most: int) -> list[FailedJob]:
    """Return the newest failed jobs of all kinds, the newest first; one query per kind."""
    found = [
        FailedJob(kind, row.pk, str(row), row.error, row.finished_at)
        for kind, model in models().items()
        for row in model._default_manager.filter(state=JobState.FAILED, finished_at__isnull=False).order_by(
            "-finished_at"
        )[:most]
        if row.finished_at
    ]
    return sorted(found, key=lambda job: job.at, reverse=True)[:most]
