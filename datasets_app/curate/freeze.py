"""Freeze a recipe into a release: a job row now, its rows written by a worker, immutable when they are."""

from __future__ import annotations

from typing import Any

import orjson
from django.db import IntegrityError, transaction

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.curate import evidence, fingerprints
from datasets_app.curate.canonical import ContentHash
from datasets_app.curate.definition import Definition, RecipeError, parse
from datasets_app.curate.recipes import name_fault, text_faults
from datasets_app.curate.selection import Chosen, Selection, apply
from datasets_app.curate.snapshot import Counts, snapshot_of
from datasets_app.curate.store import context_for, rows
from datasets_app.curate.versions import Versions
from datasets_app.db.snapshot import read_snapshot
from datasets_app.export.request import request_defaults
from datasets_app.jobs import job_row
from datasets_app.jobs.enqueue import enqueue
from datasets_app.jobs.heartbeat import Heartbeat, heartbeat_thread
from datasets_app.jobs.run import run_claimed
from datasets_app.models import JobState, Recipe, Release, ReleaseRow

TASK = "datasets_app.freeze_release"
BATCH = 500
Provenance = dict[str, bytes]
EMPTY = "The recipe chooses no sample now: {where}. Verify or review more samples, or loosen that rule, and try again."


class EmptySelectionError(Exception):
    """A release without rows serves nobody."""


@needs(Scope.CURATE)
def create(
    actor: Actor,
    *,
    name: str,
    definition: Definition,
    recipe: Recipe | None = None,
    recipe_name: str = "",
    title: str = "",
    notes: str = "",
) -> Release:
    """Ask for a release. A failed one of the same name makes room. Raises RecipeError, PermissionDenied."""
    check_texts(name, title, notes)
    release = Release(
        name=name,
        title=title,
        notes=notes,
        recipe=recipe,
        recipe_name=recipe_name or (recipe.name if recipe else ""),
        definition=definition.to_json(),
        created_by=actor.user,
    )
    try:
        with transaction.atomic():
            Release.objects.filter(name__iexact=name, state=JobState.FAILED).delete()
            release.save(force_insert=True)
            audit.record(actor, "release.create", release, name=name, recipe=release.recipe_name)
            enqueue(TASK, release.pk)
    except IntegrityError:  # somebody else was faster
        raise RecipeError({"name": taken(name)}) from None
    return release


def taken(name: str) -> str:
    return f"There is a release {name} already. Releases never change; choose another name."


def check_texts(name: str, title: str, notes: str) -> None:
    if fault := name_fault(name):
        raise RecipeError({"name": fault})
    if Release.objects.filter(name__iexact=name).exclude(state=JobState.FAILED).exists():
        raise RecipeError({"name": taken(name)})
    if faults := text_faults(title, "notes", notes):
        raise RecipeError(faults)


@needs(Scope.CURATE)
def retry(actor: Actor, release: Release) -> None:
    """Queue a failed release again."""
    failed = Release.objects.filter(pk=release.pk, state=JobState.FAILED)
    if failed.update(state=JobState.QUEUED, attempt=0, error="", finished_at=None):
        audit.record(actor, "release.retry", release, name=release.name)
        enqueue(TASK, release.pk)


def run_freeze(release_id: object) -> None:
    """Do the work of a queued release. A second call, or one for a release that is done, does nothing."""
    run_claimed(job_row.claim(Release, release_id), write_release, (EmptySelectionError, RecipeError))


def write_release(release: Release) -> None:
    beat = Heartbeat(release)
    definition = parse(release.definition)
    fingerprints.fill_needed(definition.needs(), on_batch=beat)
    with heartbeat_thread(release), read_snapshot():  # rows, findings, tags and provenance as of one moment
        selection = apply(definition, rows(definition.needs()), context_for(definition))
        provenance = provenance_of(selection)
    if not selection.chosen:
        raise EmptySelectionError(EMPTY.format(where=where_it_ended(selection)))
    release.rows.all().delete()  # what an attempt that died left behind
    results = write_rows(release, selection, provenance)
    with transaction.atomic():
        job_row.finish(release, funnel=selection.funnel(), **results)
        request_defaults(release)


def provenance_of(selection: Selection) -> Provenance:
    """Sample id to what its outcome rests on, packed: a release may have a million rows."""
    found: Provenance = {}
    for start in range(0, len(selection.chosen), BATCH):
        ids = [chosen.row.id for chosen in selection.chosen[start : start + BATCH]]
        found |= {pk: orjson.dumps(said) for pk, said in evidence.provenance(ids).items()}
    return found


def where_it_ended(selection: Selection) -> str:
    for number, step in enumerate(selection.steps, 1):
        if not step.rows_out:
            return f"rule {number} ({step.sentence}) let none of {step.rows_in:,} rows through"
    return "there is no sample in the store"


def write_rows(release: Release, selection: Selection, provenance: Provenance) -> dict[str, Any]:
    """Write the rows in batches; the results that the release keeps."""
    content, counts, versions = ContentHash(), Counts(), Versions()
    for start in range(0, len(selection.chosen), BATCH):
        batch = selection.chosen[start : start + BATCH]
        written = release_rows(release, batch, start, provenance)
        for row, chosen in zip(written, batch, strict=True):
            content.add(row.sample_id, row.split, row.reason, row.snapshot)
            counts.add(chosen.row, row.split, row.reason)
            versions.add(row.snapshot)
        with transaction.atomic():
            job_row.renew(
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


def release_rows(
    release: Release, batch: list[Chosen], first: int, provenance: Provenance
) -> list[ReleaseRow]:
    return [
        ReleaseRow(
            release=release,
            position=first + offset,
            sample_id=chosen.row.id,
            split=chosen.split,
            reason=chosen.reason,
            snapshot=snapshot_of(chosen.row, unpacked(provenance.get(chosen.row.id))),
        )
        for offset, chosen in enumerate(batch)
    ]


def unpacked(provenance: bytes | None) -> dict[str, Any] | None:
    return orjson.loads(provenance) if provenance else None
