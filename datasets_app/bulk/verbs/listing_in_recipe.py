from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.urls import reverse

from datasets_app.accounts.actor import Actor, account
from datasets_app.accounts.ownership import require_recipe
from datasets_app.accounts.roles import Scope
from datasets_app.browse.list import tags
from datasets_app.bulk.verb import BulkError, UndoableVerb, samples
from datasets_app.bulk.verbs import tagging
from datasets_app.curate import listed
from datasets_app.curate.definition import RecipeError
from datasets_app.models import BulkAction, Recipe, Tag


class ListInRecipe(UndoableVerb):
    """Adds samples to a recipe's list of those to include or to exclude.

    The list is a tag, and the recipe has a rule for it; both can be seen and changed by hand.
    """

    name = "recipe"
    title = "Add to recipe"
    scope = Scope.CURATE
    facets = ("tag",)

    def prepare(self, actor: Actor, params: dict[str, Any]) -> dict[str, Any]:
        name, mode = str(params.get("recipe", "")).strip(), params.get("mode") or listed.INCLUDE
        recipe = Recipe.objects.filter(name=name).first()
        if recipe is None:
            raise BulkError(f"There is no recipe {name[:80]!r}. Compose it on the curate page first.")
        require_recipe(actor, recipe)
        try:
            tag = tags.named_or_new(actor, listed.tag_name(recipe, mode))
            had_rule = listed.has_rule(recipe, mode, tag.name)
            listed.add_rule(actor, recipe, mode, tag.name)
        except (RecipeError, listed.ListError, tags.TagError) as error:
            raise BulkError(sentence(error)) from error
        return {**tagging.tag_params(tag), "recipe": recipe.name, "mode": mode, "made_rule": not had_rule}

    def apply(self, bulk: BulkAction, ids: Sequence[UUID]) -> list[UUID]:
        return TAGGING.apply(bulk, ids)

    def undo(self, bulk: BulkAction, ids: Sequence[UUID]) -> list[UUID]:
        return TAGGING.undo(bulk, ids)

    def undone(self, bulk: BulkAction) -> None:
        """Remove the rule that was added with the first samples of the list when the last ones are removed."""
        recipe = Recipe.objects.filter(name=bulk.params["recipe"]).first()
        tag = Tag.objects.filter(pk=bulk.params["tag_id"]).first()
        if recipe is not None and bulk.params["made_rule"] and (tag is None or not tag.sample_tags.exists()):
            listed.remove_rule(account(bulk.actor), recipe, bulk.params["mode"], bulk.params["tag"])

    def finish(self, bulk: BulkAction) -> dict[str, Any]:
        return {"url": reverse("recipe", args=[bulk.params["recipe"]]), "link": "See the recipe"}

    def did(self, bulk: BulkAction) -> str:
        purpose = "include" if bulk.params["mode"] == listed.INCLUDE else "exclude"
        return f"Added {samples(bulk.changed)} to the list that {bulk.params['recipe']} is to {purpose}"


TAGGING = tagging.TagSamples()


def sentence(error: Exception) -> str:
    return " ".join(error.faults.values()) if isinstance(error, RecipeError) else str(error)
