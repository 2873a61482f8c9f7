"""Starts a bulk action, undoes one, and closes its bar."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.ownership import require_undo
from datasets_app.accounts.roles import Scope
from datasets_app.bulk.forgetting import end_undo_of
from datasets_app.bulk.run import TASK, run_bulk
from datasets_app.bulk.target import NOTHING_MATCHES, Target, another_number
from datasets_app.bulk.verb import BulkError, UndoableVerb, Verb, verb_named
from datasets_app.jobs.enqueue import enqueue
from datasets_app.models import BulkAction, JobState

AT_ONCE = 1000  # samples that the request itself processes; larger actions are left to a worker


@needs(Scope.ANNOTATE)
def start(
    actor: Actor, name: str, target: Target, params: dict[str, Any], expected: int | None = None
) -> BulkAction:
    """Apply a small action now, queue a larger one. Raises BulkError, PermissionDenied.

    `expected`: refuse if another number of samples matches. A count that takes long is made, and then refused, by the
    worker.
    """
    verb = verb_named(name)
    actor.require(verb.scope)
    count = target.count(actor)
    if count.is_exactly(0):
        raise BulkError(NOTHING_MATCHES)
    if expected is not None and not count.may_be(expected):
        raise BulkError(another_number(count.number, expected))
    with transaction.atomic():
        end_undo_of(actor.user)
        bulk = BulkAction.objects.create(
            action=verb.name,
            params=verb.prepare(actor, params),
            query=target.query,
            ids=None if target.ids is None else [str(pk) for pk in target.ids],
            actor=actor.user,
            total=count.number,
            counted=count.exact,
            expected=expected,
        )
        audit.record(actor, f"bulk.{verb.name}", bulk, over=target.words(), total=str(count), **bulk.params)
        wake_if_large(bulk, verb)
    return done_now(bulk, verb)


def is_large(bulk: BulkAction, verb: Verb) -> bool:
    return verb.always_a_job or not bulk.counted or bulk.total > AT_ONCE


def wake_if_large(bulk: BulkAction, verb: Verb) -> None:
    if is_large(bulk, verb):
        enqueue(TASK, bulk.pk)


def done_now(bulk: BulkAction, verb: Verb) -> BulkAction:
    if not is_large(bulk, verb):
        run_bulk(bulk.pk)
        bulk.refresh_from_db()
    return bulk


@needs(Scope.ANNOTATE)
def undo(actor: Actor, bulk: BulkAction) -> BulkAction:
    """Undo an action on exactly the samples that it changed; an undo that failed continues. Raises BulkError,
    PermissionDenied."""
    require_undo(actor, bulk, verb_named(bulk.action).scope)
    with transaction.atomic():
        refuse_undo(BulkAction.objects.select_for_update().get(pk=bulk.pk))
        verb = verb_named("undo")
        BulkAction.objects.filter(undoes=bulk).update(
            state=JobState.QUEUED, attempt=0, error="", finished_at=None, dismissed=False
        )
        taken_back, _ = BulkAction.objects.get_or_create(
            undoes=bulk,
            defaults={"action": verb.name, "actor": actor.person(), "total": bulk.changes.count()},
        )
        audit.record(actor, "bulk.undo", bulk, undone=bulk.action, total=taken_back.total)
        wake_if_large(taken_back, verb)
    return done_now(taken_back, verb)


def refuse_undo(bulk: BulkAction) -> None:
    if BulkAction.objects.filter(undoes=bulk).exclude(state=JobState.FAILED).exists():
        raise BulkError("It has already been undone.")
    if not bulk.is_finished:
        raise BulkError("It is still running; undo it when it has finished.")
    if not can_undo(bulk):
        raise BulkError("It can no longer be undone: it changed nothing, or another action followed.")


def can_undo(bulk: BulkAction) -> bool:
    possible = bulk.is_finished and not bulk.undo_ended and isinstance(verb_named(bulk.action), UndoableVerb)
    return possible and bulk.changes.exists()


@needs(Scope.READ)
def dismiss(actor: Actor, bulk: BulkAction) -> None:
    """Close its bar."""
    BulkAction.objects.filter(pk=bulk.pk, actor=actor.person()).update(dismissed=True)


def latest_of(user: Any) -> BulkAction | None:
    """Return the newest action of this person if its bar is still open, in one query."""
    newest = BulkAction.objects.filter(actor=user).order_by("-created_at", "-id").first()
    return None if newest is None or newest.dismissed else newest
