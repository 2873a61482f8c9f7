from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from datasets_app.accounts.actor import Actor
from datasets_app.accounts.ownership import own_assignments
from datasets_app.accounts.roles import Scope
from datasets_app.bulk.verb import BulkError, UndoableVerb, samples
from datasets_app.bulk.verbs import links
from datasets_app.models import Assignment, BulkAction
from datasets_app.review import assignments

ALL, OWN = "all", "own"


def link(bulk: BulkAction) -> dict[str, Any]:
    """Return the link to the account. Raises BulkError if it no longer exists."""
    if not assignments.exists(bulk.params["reviewer_id"]):
        raise BulkError(f"The account of {bulk.params['reviewer']} was deleted meanwhile.")
    return {"reviewer_id": bulk.params["reviewer_id"]}


def by(bulk: BulkAction) -> dict[str, Any]:
    return {"assigned_by_id": bulk.actor_id}


class OfReviewer(UndoableVerb):
    facets = ("assigned",)

    def prepare(self, actor: Actor, params: dict[str, Any]) -> dict[str, Any]:
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
    """Removes the assignments that the actor may remove: all for a curator, otherwise those made by or for the
    actor.
    """

    name = "unassign"
    title = "Take back"

    def prepare(self, actor: Actor, params: dict[str, Any]) -> dict[str, Any]:
        return {**super().prepare(actor, params), "whose": ALL if actor.may(Scope.CURATE) else OWN}

    def apply(self, bulk: BulkAction, ids: Sequence[UUID]) -> list[UUID]:
        theirs = links.linked(Assignment, ids, link(bulk))
        if bulk.params.get("whose", ALL) == OWN:
            theirs = theirs.filter(own_assignments(bulk.actor))
        return links.removed(theirs)

    def undo(self, bulk: BulkAction, ids: Sequence[UUID]) -> list[UUID]:
        return links.put_on(Assignment, ids, link(bulk), by(bulk))

    def did(self, bulk: BulkAction) -> str:
        others = "; assignments by others are kept" if bulk.params.get("whose") == OWN else ""
        return f"Took {samples(bulk.changed)} back from {bulk.params['reviewer']}{others}"
