from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from datasets_app.bulk.verb import BulkError, Verb, samples, verb_named
from datasets_app.models import BulkAction


class Undo(Verb):
    """Takes another action back. It is asked for through bulk.undo(), which sets what it undoes."""

    name = "undo"
    title = "Undo"

    def prepare(self, actor: Any, params: dict[str, Any]) -> dict[str, Any]:
        raise BulkError("To undo an action, post to its own address with undo/ behind it.")

    def apply(self, bulk: BulkAction, ids: Sequence[UUID]) -> list[UUID]:
        verb_named(bulk.undoes.action).undo(bulk.undoes, ids)
        return list(ids)

    def finish(self, bulk: BulkAction) -> dict[str, Any]:
        verb_named(bulk.undoes.action).undone(bulk.undoes)
        bulk.undoes.changes.all().delete()
        return {}

    def did(self, bulk: BulkAction) -> str:
        was = verb_named(bulk.undoes.action).did(bulk.undoes)
        return f"Undone over {samples(bulk.changed)}: {was[0].lower()}{was[1:]}"
