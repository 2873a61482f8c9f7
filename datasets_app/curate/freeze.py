"""Freeze a recipe into a release: a job row now, its rows written by a worker, immutable when they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db import transaction

from datasets_app import audit, jobs
from datasets_app.curate import evidence, fingerprints
from datasets_app.curate.canonical import ContentHash
from datasets_app.curate.definition import Definition, RecipeError, parse
from datasets_app.curate.recipes import MAX_TITLE, check_actor, name_fault
from datasets_app.curate.row import Row
from datasets_app.curate.selection import Chosen, Selection, apply
from datasets_app.curate.snapshot import Counts, snapshot_of
from datasets_app.curate.store import context_for, rows
from datasets_app.curate.versions import Versions
from datasets_app.export.request import request_defaults
from datasets_app.models import JobState, Recipe, Release, ReleaseRow
from datasets_app.wake import Beat, run, wake

TASK = "datasets_app.freeze_release"
BATCH = 500
EMPTY = "The recipe chooses no sample now: {where}. Verify or review more samples, or loosen that rule, and try again."


class EmptySelectionError(Exception):
    """A release without rows serves nobody."""


def create(
    actor: Any,
    *,
    name: str,
    definition: Definition,
    recipe: Recipe | None = None,
    recipe_name: str = "",
    title: str = "",
    notes: str = "",
) -> Release:
    """Ask for a release. A failed one of the same name makes room. Raises RecipeError, PermissionDenied."""
    check_actor(actor)
    check_names(name, title)
    with transaction.atomic():
        Release.objects.filter(name__iexact=name, state=JobState.FAILED).delete()
        release = Release.objects.create(
            name=name,
            title=title,
            notes=notes,
            recipe=recipe,
            recipe_name=recipe_name or (recipe.name if recipe else ""),
            definition=definition.to_json(),
            created_by=actor,
        )
        audit.record(actor, "release.create", release, name=name, recipe=release.recipe_name)
        wake(TASK, release.pk)
    return release


def check_names(name: str, title: str) -> None:
    if fault := name_fault(name):
        raise RecipeError({"name": fault})
    if Release.objects.filter(name__iexact=name).exclude(state=JobState.FAILED).exists():
        raise RecipeError(
            {"name": f"There is a release {name} already. Releases never change; choose another name."}
        )
    if len(title) > MAX_TITLE:
        raise RecipeError({"title": f"The title has {len(title)} characters; {MAX_TITLE} are the most."})


def retry(actor: Any, release: Release) -> None:
    """Queue a failed release again."""
    check_actor(actor)
    failed = Release.objects.filter(pk=release.pk, state=JobState.FAILED)
    if failed.update(state=JobState.QUEUED, attempt=0, error="", finished_at=None):
        audit.record(actor, "release.retry", release, name=release.name)
        wake(TASK, release.pk)


def run_freeze(release_id: object) -> None:
    """Do the work of a queued release. A second call, or one for a release that is done, does nothing."""
    run(jobs.claim(Release, release_id), write_release, (EmptySelectionError, RecipeError))


def write_release(release: Release) -> None:
    beat = Beat(release)
    definition = parse(release.definition)
    fingerprints.fill_needed(definition.needs(), on_batch=beat)
    selection = apply(definition, renewing(rows(definition.needs()), beat), context_for(definition))
    if not selection.chosen:
        raise EmptySelectionError(EMPTY.format(where=where_it_ended(selection)))
    release.rows.all().delete()  # what an attempt that died left behind
    results = write_rows(release, selection)
    with transaction.atomic():
        jobs.finish(release, funnel=selection.funnel(), **results)
        request_defaults(release)


def renewing(source: Iterator[Row], beat: Beat) -> Iterator[Row]:
    for row in source:
        beat()
        yield row


def where_it_ended(selection: Selection) -> str:
    for number, step in enumerate(selection.steps, 1):
        if not step.rows_out:
            return f"rule {number} ({step.sentence}) let none of {step.rows_in:,} rows through"
    return "there is no sample in the store"


def write_rows(release: Release, selection: Selection) -> dict[str, Any]:
    """Write the rows in batches; the results that the release keeps."""
    content, counts, versions = ContentHash(), Counts(), Versions()
    for start in range(0, len(selection.chosen), BATCH):
        batch = selection.chosen[start : start + BATCH]
        written = release_rows(release, batch, start)
        for row, chosen in zip(written, batch, strict=True):
            content.add(row.sample_id, row.split, row.reason, row.snapshot)
            counts.add(chosen.row, row.split, row.reason)
            versions.add(row.snapshot)
        with transaction.atomic():
            jobs.renew(
                release, rows_written=start + len(batch)
            )  # first: a worker that lost the row writes nothing
            ReleaseRow.objects.bulk_create(written)
    return {
        "content_sha256": content.hexdigest(),
        "counts": counts.to_json(),
        "split_counts": selection.split_counts(),
        "row_count": len(selection.chosen),
        "task_count": selection.task_count(),
        "versions": versions.to_json(),
    }


def release_rows(release: Release, batch: list[Chosen], first: int) -> list[ReleaseRow]:
    provenance = evidence.source.provenance([chosen.row.id for chosen in batch])
    return [
        ReleaseRow(
            release=release,
            position=first + offset,
            sample_id=chosen.row.id,
            split=chosen.split,
            reason=chosen.reason,
            snapshot=snapshot_of(chosen.row, provenance.get(chosen.row.id)),
        )
        for offset, chosen in enumerate(batch)
    ]
