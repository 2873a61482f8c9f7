"""Freeze a recipe into a release: a job row now, its rows written by a worker, immutable when they are."""

from __future__ import annotations

from collections.abc import Iterable
from tempfile import SpooledTemporaryFile
from typing import IO, Any

import orjson
from django.db import IntegrityError, transaction

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.curate import fingerprints
from datasets_app.curate.canonical import ContentHash
from datasets_app.curate.definition import Definition, RecipeError, parse
from datasets_app.curate.device import on_its_device
from datasets_app.curate.leaks import report
from datasets_app.curate.recipes import name_fault, text_faults
from datasets_app.curate.selection import Chosen, Selection
from datasets_app.curate.snapshot import Counts, Snapshot, snapshots
from datasets_app.curate.store import select_stored
from datasets_app.curate.versions import Versions
from datasets_app.db.snapshot import read_snapshot
from datasets_app.export.request import request_defaults
from datasets_app.jobs import job_row
from datasets_app.jobs.enqueue import enqueue
from datasets_app.jobs.heartbeat import Heartbeat, heartbeat_thread
from datasets_app.jobs.run import run_claimed
from datasets_app.models import JobState, Recipe, Release, ReleaseRow
from datasets_app.webhooks.events import record_frozen

TASK = "datasets_app.freeze_release"
BATCH = 500
HELD_BYTES = 64 * 2**20  # of facts; beyond that they go to a temporary file
EMPTY = "The recipe chooses no sample now: {where}. Verify or review more samples, or loosen that rule, and try again."


LEAKS = (
    "Splits would share {what}, such as {example}. Keep similar samples together in the recipe (under “Splits and "
    "seed”), or allow leaks there: the release then says so."
)


class EmptySelectionError(Exception):
    """The recipe chooses no row: a release without rows is refused."""


class LeakError(Exception):
    """Several splits would share something, and the recipe does not allow it."""


@needs(Scope.CURATE)
def create(
    actor: Actor,
    *,
    name: str,
    definition: Definition,
    recipe: Recipe | None = None,
    recipe_name: str = "",
    recipe_version: int | None = None,
    title: str = "",
    notes: str = "",
) -> Release:
    """Ask for a release. A failed one of the same name makes room. Raises RecipeError, PermissionDenied.

    `recipe_version`: of `recipe`, whose definition this is; its newest one if none is given.
    """
    check_texts(name, title, notes)
    release = Release(
        name=name,
        title=title,
        notes=notes,
        recipe=recipe,
        recipe_name=recipe_name or (recipe.name if recipe else ""),
        recipe_version=recipe_version or (recipe.version if recipe else None),
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
    run_claimed(
        job_row.claim(Release, release_id), write_release, (EmptySelectionError, LeakError, RecipeError)
    )


def write_release(release: Release) -> None:
    beat = Heartbeat(release)
    definition = on_its_device(parse(release.definition))
    fingerprints.fill_needed(definition.needs(), on_batch=beat)
    with SpooledTemporaryFile(HELD_BYTES) as facts:
        with heartbeat_thread(release), read_snapshot():  # rows, findings, tags and evidence as of one moment
            selection = select_stored(definition)
            keep_facts(selection, facts)
        if not selection.chosen:
            raise EmptySelectionError(EMPTY.format(where=where_it_ended(selection)))
        apart = checked_splits(definition, selection)
        release.rows.all().delete()  # what an attempt that died left behind
        results = write_rows(release, selection, facts)
    with transaction.atomic():
        results |= {"device": selection.device, "funnel": selection.funnel(), "split_report": apart}
        job_row.finish(release, **results)
        request_defaults(release)
        record_frozen(release)


def checked_splits(definition: Definition, selection: Selection) -> dict[str, Any]:
    """Return the report on the splits, as a release stores it. Raises LeakError, unless the recipe allows leaks."""
    if not definition.is_split:
        return {}
    found = report(((chosen.row, chosen.split) for chosen in selection.chosen), definition.together)
    if found.leaks and not definition.allow_leaks:
        raise LeakError(LEAKS.format(what=found.words(), example=found.leaks[0].words()))
    return found.to_json()


def keep_facts(selection: Selection, facts: IO[bytes]) -> None:
    """Write a line for each chosen row, in their order: a release may have a million, too many to hold."""
    for start in range(0, len(selection.chosen), BATCH):
        ids = [chosen.row.id for chosen in selection.chosen[start : start + BATCH]]
        by_id = snapshots(ids, selection.device)
        facts.writelines(orjson.dumps(by_id[pk]) + b"\n" for pk in ids)
    facts.seek(0)


def where_it_ended(selection: Selection) -> str:
    for number, step in enumerate(selection.steps, 1):
        if not step.rows_out:
            return f"rule {number} ({step.sentence}) let none of {step.rows_in:,} rows through"
    return "there is no sample in the store"


def write_rows(release: Release, selection: Selection, facts: Iterable[bytes]) -> dict[str, Any]:
    """Write the rows in batches; return the results that the release keeps."""
    content, counts, versions = ContentHash(), Counts(), Versions()
    for start in range(0, len(selection.chosen), BATCH):
        batch = selection.chosen[start : start + BATCH]
        written = [
            release_row(release, start + offset, chosen, orjson.loads(line))
            for offset, (chosen, line) in enumerate(zip(batch, facts, strict=False))
        ]
        for row in written:
            content.add(row.sample_id, row.split, row.reason, row.snapshot)
            counts.add(row.snapshot, row.split, row.reason)
            versions.add(row.snapshot)
        with transaction.atomic():
            # First: a worker that lost the row writes nothing.
            job_row.renew(release, rows_written=start + len(batch))
            ReleaseRow.objects.bulk_create(written)
    return {
        "content_sha256": content.hexdigest(),
        "counts": counts.to_json(),
        "split_counts": selection.split_counts(),
        "row_count": len(selection.chosen),
        "task_count": selection.task_count(),
        "versions": versions.to_json(),
    }


def release_row(release: Release, position: int, chosen: Chosen, snapshot: Snapshot) -> ReleaseRow:
    return ReleaseRow(
        release=release,
        position=position,
        sample_id=chosen.row.id,
        split=chosen.split,
        reason=chosen.reason,
        verification_id=snapshot["verification"],
        snapshot=snapshot,
    )
