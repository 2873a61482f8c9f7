from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from datasets_app import assignments
from datasets_app.bulk.verb import BulkError, UndoableVerb, samples
from datasets_app.bulk.verbs import links
from datasets_app.models import Assignment, BulkAction


def link(bulk: BulkAction) -> dict[str, Any]:
    """Raises BulkError where the account is gone."""
    if not assignments.exists(bulk.params["reviewer_id"]):
        raise BulkError(f"The account of {bulk.params['reviewer']} was deleted meanwhile.")
    return {"reviewer_id": bulk.params["reviewer_id"]}


def by(bulk: BulkAction) -> dict[str, Any]:
    return {"assigned_by_id": bulk.actor_id}


class OfReviewer(UndoableVerb):
    facets = ("assigned",)

    def prepare(self, actor: Any, params: dict[str, Any]) -> dict[str, Any]:
        try:
            reviewer = assignments.reviewer_named(params.get("reviewer", ""))
        except assignments.AssignmentError as error:
            raise BulkError(str(error)) from error
        return {"reviewer_id": reviewer.pk, "reviewer": reviewer.get_username()}


class Assign(OfReviewer):
    name = "assign"
    title = "Assign"

    def apply(self, bulk: BulkAction, ids: Sequence[UUID]) -> list[UUID]:
        return links.put_on(Assignment, ids, link(bulk), by(bulk))

    def undo(self, bulk: BulkAction, ids: Sequence[UUID]) -> list[UUID]:
        return links.take_back(bulk, Assignment, ids, link(bulk), "assigned_at")

    def did(self, bulk: BulkAction) -> str:
        return f"Assigned {samples(bulk.changed)} to {bulk.params['reviewer']}"


class Unassign(OfReviewer):
    name = "unassign"
    title = "Take back"

    def apply(self, bulk: BulkAction, ids: Sequence[UUID]) -> list[UUID]:
        return links.take_off(Assignment, ids, link(bulk))

    def undo(self, bulk: BulkAction, ids: Sequence[UUID]) -> list[UUID]:
        return links.put_on(Assignment, ids, link(bulk), by(bulk))

    def did(self, bulk: BulkAction) -> str:
        return f"Took {samples(bulk.changed)} back from {bulk.params['reviewer']}"
