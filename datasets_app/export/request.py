"""Ask for a release's files: a job row each, written by a worker."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.db import transaction

from datasets_app.accounts import audit
from datasets_app.accounts.actor import SITE, Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.export.errors import ExportError
from datasets_app.export.formats import DEFAULTS, FORMATS, Format
from datasets_app.export.options import DEFAULT, Options, parse
from datasets_app.export.rows import rows_without_texts
from datasets_app.jobs.enqueue import enqueue
from datasets_app.models import Export, JobState, Release, Split

TASK = "datasets_app.write_export"
PLANNED = ("format", "options", "split", "first_position", "row_count")


__all__ = ["ExportError", "checked", "name_of", "planned", "request_defaults", "request_export"]


def name_of(release: Release, path: str) -> str:
    """Return the name in the store of a file of the release."""
    return f"{release.name}/{path}"


@needs(Scope.CURATE)
def request_export(
    release: Release, format: str, actor: Actor, chosen: Mapping[str, Any] | None = None
) -> list[Export]:
    """Queue the files of `release` in `format`; those that are there already stay. Returns all of them.

    `chosen`: the options that are not the default; others of the same format have files of their own. Raises
    ExportError for an unknown format, a release that is not done, or one that has nothing for the format; OptionsError,
    PermissionDenied.
    """
    made, options = checked(release, format, chosen or {})
    files = list(planned(release, made, options))
    with transaction.atomic():
        rows = [queued(file) for file in files]
        said = {"options": options.to_json()} if options != DEFAULT else {}
        audit.record(actor, "release.export", release, name=release.name, format=format, **said)
    return rows


def checked(release: Release, format: str, chosen: Mapping[str, Any]) -> tuple[Format, Options]:
    """Return the format and its options. Raises ExportError, OptionsError."""
    if format not in FORMATS:
        raise ExportError(f"{format!r} is not a format; the formats are {', '.join(FORMATS)}.")
    if release.state != JobState.DONE:
        raise ExportError(f"Release {release.name} is {release.state}; its files come when it is done.")
    return FORMATS[format], parse(FORMATS[format].takes, chosen)


def request_defaults(release: Release) -> None:
    """Queue the files that every release gets."""
    for format in DEFAULTS:
        request_export(release, format, SITE)


def planned(release: Release, made: Format, options: Options) -> Iterator[Export]:
    """Yield the files of a format, unsaved. The rows of a split are consecutive, so a file is a range of positions.

    Raises ExportError if no split has anything for the format.
    """
    first, empty = 0, True
    for split in Split.values:
        rows = release.split_counts.get(split, 0)
        if rows and made.has_records(rows_without_texts(release, first, rows), options):
            yield from planned_split(release, made, options, split, first, rows)
            empty = False
        first += rows
    if empty:
        raise ExportError(f"Release {release.name} has no {made.name} files. {made.nothing}".strip())


def planned_split(
    release: Release, made: Format, options: Options, split: str, first: int, rows: int
) -> Iterator[Export]:
    each = made.rows_a_file or rows
    count = -(-rows // each)
    for number in range(count):
        offset = number * each
        yield Export(
            release=release,
            format=made.name,
            options=options.to_json(),
            path=made.path(split, number, count, options),
            split=split,
            first_position=first + offset,
            row_count=min(each, rows - offset),
        )


def queued(file: Export) -> Export:
    """Return the row for a file: an existing one, a new one, or a failed one that is tried again."""
    row, _ = Export.objects.get_or_create(
        release=file.release,
        path=file.path,
        defaults={name: getattr(file, name) for name in PLANNED},
    )
    if row.state == JobState.FAILED:
        Export.objects.filter(pk=row.pk).update(state=JobState.QUEUED, attempt=0, error="", finished_at=None)
        row.refresh_from_db()
    if row.state == JobState.QUEUED:
        enqueue(TASK, row.pk)
    return row
