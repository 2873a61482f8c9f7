from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from datasets_app.accounts.actor import Actor
from datasets_app.browse.list import tags
from datasets_app.bulk.verb import BulkError, UndoableVerb, samples
from datasets_app.bulk.verbs import links
from datasets_app.models import BulkAction, SampleTag, Tag


def link(bulk: BulkAction) -> dict[str, Any]:
    """Return the link to the tag. Raises BulkError if it was deleted meanwhile."""
    if not Tag.objects.filter(pk=bulk.params["tag_id"]).exists():
        raise BulkError(f"The tag {bulk.params['tag']} was deleted meanwhile.")
    return {"tag_id": bulk.params["tag_id"]}


def by(bulk: BulkAction) -> dict[str, Any]:
    return {"added_by_id": bulk.actor_id}


def tag_params(tag: Tag) -> dict[str, Any]:
    return {"tag_id": tag.pk, "tag": tag.name}


class TagSamples(UndoableVerb):
    name = "tag"
    title = "Tag"
    facets = ("tag",)

    def prepare(self, actor: Actor, params: dict[str, Any]) -> dict[str, Any]:
        try:
            return tag_params(tags.named_or_new(actor, params.get("tag", ""), params.get("colour", "")))
        except tags.TagError as error:
            raise BulkError(str(error)) from error

    def apply(self, bulk: BulkAction, ids: Sequence[UUID]) -> list[UUID]:
        return links.put_on(SampleTag, ids, link(bulk), by(bulk))

    def undo(self, bulk: BulkAction, ids: Sequence[UUID]) -> list[UUID]:
        return links.take_back(bulk, SampleTag, ids, link(bulk), "added_at")

    def did(self, bulk: BulkAction) -> str:
        return f"Tagged {samples(bulk.changed)} with {bulk.params['tag']}"


class UntagSamples(UndoableVerb):
    name = "untag"
    title = "Remove tag"
    facets = ("tag",)

    def prepare(self, actor: Actor, params: dict[str, Any]) -> dict[str, Any]:
        try:
            return tag_params(tags.named(params.get("tag", "")))
        except tags.TagError as error:
            raise BulkError(str(error)) from error

    def apply(self, bulk: BulkAction, ids: Sequence[UUID]) -> list[UUID]:
        return links.take_off(SampleTag, ids, link(bulk))

    def undo(self, bulk: BulkAction, ids: Sequence[UUID]) -> list[UUID]:
        return links.put_on(SampleTag, ids, link(bulk), by(bulk))

    def did(self, bulk: BulkAction) -> str:
        return f"Removed {bulk.params['tag']} from {samples(bulk.changed)}"
