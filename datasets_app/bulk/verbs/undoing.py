from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from datasets_app.accounts.actor import Actor
from datasets_app.bulk.verb import BulkError, UndoableVerb, Verb, samples, verb_named
from datasets_app.models import BulkAction


class Undo(Verb):
    """Undoes another action. It is requested by asking.undo(), which sets the action to undo."""

    name = "undo"
    title = "Undo"

    def prepare(self, actor: Actor, params: dict[str, Any]) -> dict[str, Any]:
        raise BulkError("To undo an action, POST to its URL followed by undo/.")

    def apply(self, bulk: BulkAction, ids: Sequence[UUID]) -> list[UUID]:
        done = undone_by(bulk)
        return of_done(done).undo(done, ids)

    def changes(self, bulk: BulkAction) -> tuple[str, ...] | None:
        return of_done(undone_by(bulk)).facets

    def finish(self, bulk: BulkAction) -> dict[str, Any]:
        done = undone_by(bulk)
        of_done(done).undone(done)
        BulkAction.objects.filter(pk=done.pk).update(undo_ended=True)
        return {}

    def did(self, bulk: BulkAction) -> str:
        done = undone_by(bulk)
        was = verb_named(done.action).did(done)
        return f"Undone for {samples(bulk.changed)}: {was[0].lower()}{was[1:]}"


def undone_by(bulk: BulkAction) -> BulkAction:
    assert bulk.undoes is not None, "an undo refers to an action"
    return bulk.undoes


def of_done(done: BulkAction) -> UndoableVerb:
    verb = verb_named(done.action)
    assert isinstance(verb, UndoableVerb), "no other has changes to undo"
    return verb
