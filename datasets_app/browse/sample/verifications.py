"""A sample's newest verifications, read once for all parts of its page."""

from __future__ import annotations

from django.db.models import Q

from datasets_app.models import JobState, Sample, Verification

HISTORY_SHOWN = 30
CACHED = "newest_verifications"  # on a sample that a page has read


def rows_of(sample: Sample) -> list[Verification]:
    """Return the newest verifications and the headline evidence, without reports. One query per page, whose parts
    share the rows."""
    if (cached := sample.__dict__.get(CACHED)) is not None:
        return list(cached)
    rows = Verification.objects.filter(sample=sample).select_related("report", "environment", "evidence")
    ordered = rows.defer("report__report").order_by("-created_at", "-id")
    newest = list(ordered[:HISTORY_SHOWN])
    if len(newest) == HISTORY_SHOWN:
        newest += ordered.headline().exclude(pk__in=[row.pk for row in newest])
    for row in newest:
        row.sample = sample
    sample.__dict__[CACHED] = newest
    return list(newest)


def current_rows(sample: Sample) -> list[Verification]:
    """Return those of the sample's verifications that are unfinished or have evidence, and others; no query besides
    that of `rows_of`, and one more for a sample with very many verifications."""
    rows = rows_of(sample)
    if len(rows) < HISTORY_SHOWN:
        return rows
    older = Verification.objects.filter(sample=sample).exclude(pk__in=[row.pk for row in rows])
    is_unfinished = Q(state__in=[JobState.QUEUED, JobState.RUNNING])
    return [*rows, *older.filter(Q(evidence__isnull=False) | is_unfinished).select_related("evidence")]
