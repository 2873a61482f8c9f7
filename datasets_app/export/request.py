"""Ask for a release's files: a job row each, written by a worker."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.db import transaction

from datasets_app.accounts import audit
from datasets_app.accounts.actor import SITE, Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.export.formats import DEFAULTS, FORMATS
from datasets_app.jobs.enqueue import enqueue
from datasets_app.models import Export, JobState, Release, Split

TASK = "datasets_app.write_export"


class ExportError(ValueError):
    """An export that cannot be made; the message says what to do."""


def folder(release: Release) -> Path:
    return settings.EXPORT_DIR / release.name


@needs(Scope.CURATE)
def request_export(release: Release, format: str, actor: Actor) -> list[Export]:
    """Queue the files of `release` in `format`; those that are there already stay. Returns all of them.

    Raises ExportError for an unknown format or a release that is not done, PermissionDenied.
    """
    if format not in FORMATS:
        raise ExportError(f"{format!r} is not a format; the formats are {', '.join(FORMATS)}.")
    if release.state != JobState.DONE:
        raise ExportError(f"Release {release.name} is {release.state}; its files come when it is done.")
    with transaction.atomic():
        files = [queued(file) for file in planned(release, format)]
        audit.record(actor, "release.export", release, name=release.name, format=format)
    return files


def request_defaults(release: Release) -> None:
    """Queue the files that every release gets."""
    for format in DEFAULTS:
        request_export(release, format, SITE)


def planned(release: Release, format: str) -> Iterator[Export]:
    """Return the files of a format, unsaved. The rows of a split are consecutive, so a file is a range of positions."""
    first = 0
    for split in Split.values:
        rows = release.split_counts.get(split, 0)
        yield from planned_split(release, format, split, first, rows)
        first += rows


def planned_split(release: Release, format: str, split: str, first: int, rows: int) -> Iterator[Export]:
    each = FORMATS[format].rows_a_file or max(rows, 1)
    count = -(-rows // each)
    for number in range(count):
        offset = number * each
        path = FORMATS[format].path(split, number, count)
        size = min(each, rows - offset)
        yield Export(
            release=release,
            format=format,
            path=path,
            split=split,
            first_position=first + offset,
            row_count=size,
        )


def queued(file: Export) -> Export:
    """Return the row for a file: an existing one, a new one, or a failed one that is tried again."""
    row, _ = Export.objects.get_or_create(
        release=file.release,
        path=file.path,
        defaults={name: getattr(file, name) for name in ("format", "split", "first_position", "row_count")},
    )
    if row.state == JobState.FAILED:
        Export.objects.filter(pk=row.pk).update(state=JobState.QUEUED, attempt=0, error="", finished_at=None)
        row.refresh_from_db()
    if row.state == JobState.QUEUED:
        enqueue(TASK, row.pk)
    return row
