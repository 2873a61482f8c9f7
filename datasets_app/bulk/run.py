"""Go through the samples of a bulk action, group by group; each group is one transaction with its progress."""

from __future__ import annotations

import time

from django.db import transaction

from datasets_app import jobs
from datasets_app.bits import fold_if_many
from datasets_app.bulk.groups import Group, groups
from datasets_app.bulk.verb import BulkError, UndoableVerb, Verb, verb_named
from datasets_app.models import BulkAction, BulkChange
from datasets_app.wake import run

TASK = "datasets_app.run_bulk"
PAUSE_SECONDS = (
    0.02  # between groups: SQLite gives its one write lock to whoever asks next, and that would be us
)


def run_bulk(pk: object) -> None:
    """Do the work of a queued action. One that a dead worker left goes on after its last group."""
    run(jobs.claim(BulkAction, pk), go_through, (BulkError, OSError))


def go_through(bulk: BulkAction) -> None:
    verb = verb_named(bulk.action)
    for group in groups(bulk, verb.group):
        with transaction.atomic():
            one_group(bulk, verb, group)
        fold_if_many()  # what was changed in this group counts in the facets at once
        time.sleep(PAUSE_SECONDS)
    with transaction.atomic():
        result = verb.finish(bulk)
        jobs.finish(bulk, result=result)


def one_group(bulk: BulkAction, verb: Verb, group: Group) -> None:
    changed = verb.apply(bulk, group.ids)
    if isinstance(verb, UndoableVerb):
        BulkChange.objects.bulk_create(BulkChange(bulk=bulk, sample_id=pk) for pk in changed)
    progress = {"seen": bulk.seen + len(group.ids), "changed": bulk.changed + len(changed)}
    jobs.renew(bulk, **progress, last_number=group.last_number)
