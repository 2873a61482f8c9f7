"""Works through the samples of a bulk action; each group is one transaction with its progress."""

from __future__ import annotations

from array import array

from django.core.exceptions import PermissionDenied
from django.db import transaction

from datasets_app.bulk.counting import count_anew, newest_dirty_row
from datasets_app.bulk.groups import Group, groups, numbers_of
from datasets_app.bulk.rows import insert_each
from datasets_app.bulk.target import NOTHING_MATCHES, another_number
from datasets_app.bulk.verb import BulkError, UndoableVerb, Verb, verb_named
from datasets_app.db.facet_index import compact_if_due
from datasets_app.jobs import job_row
from datasets_app.jobs.run import run_claimed
from datasets_app.models import BulkAction, BulkChange

TASK = "datasets_app.run_bulk"


def run_bulk(pk: object) -> None:
    """Run a queued action. If its worker died, it continues after its last group."""
    run_claimed(job_row.claim(BulkAction, pk), go_through, (BulkError, PermissionDenied, OSError))


def go_through(bulk: BulkAction) -> None:
    verb = verb_named(bulk.action).begin(bulk)
    fixed = verb.numbers(bulk)
    numbers = numbers_of(bulk) if fixed is None else fixed
    if not bulk.counted:
        count(bulk, numbers)
    for group in groups(bulk, numbers, verb.group):
        with transaction.atomic():
            one_group(bulk, verb, group)
        compact_if_due()  # dirty rows of others, and ours if another process was compacting
    verb.complete(bulk)
    with transaction.atomic():
        result = verb.finish(bulk)
        job_row.finish(bulk, result=result)


def count(bulk: BulkAction, numbers: array[int]) -> None:
    """Count what the request could not count in time. Raises BulkError, before anything is changed, if the number is
    not the expected one.
    """
    if bulk.expected not in (None, len(numbers)):
        raise BulkError(another_number(len(numbers), bulk.expected))
    if not numbers:
        raise BulkError(NOTHING_MATCHES)
    job_row.renew(bulk, total=len(numbers), counted=True)


def one_group(bulk: BulkAction, verb: Verb, group: Group) -> None:
    facets, before = verb.changes(bulk), newest_dirty_row()
    changed = verb.apply(bulk, group.ids)
    if isinstance(verb, UndoableVerb):
        insert_each(BulkChange, changed, {"bulk_id": bulk.pk})
    if facets is not None:
        count_anew(facets, group.numbers, before)
    progress = {"seen": bulk.seen + len(group.ids), "changed": bulk.changed + len(changed)}
    job_row.renew(bulk, **progress, last_number=group.last_number)
