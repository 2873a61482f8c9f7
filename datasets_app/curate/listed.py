"""A recipe's own lists of samples: a tag for those to keep, one for those to leave out, and a rule that asks for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from datasets_app.accounts.actor import Actor
from datasets_app.curate import recipes
from datasets_app.models import Recipe

INCLUDE, EXCLUDE = "include", "exclude"
HAVING = {INCLUDE: "some", EXCLUDE: "none"}
RULE = "has_tag"
ATTEMPTS = 5


class ListError(ValueError):
    """An unknown list; the message names the known ones."""


def tag_name(recipe: Recipe, mode: str) -> str:
    if mode not in HAVING:
        raise ListError(f"A recipe has a list to {INCLUDE} and one to {EXCLUDE}, not {str(mode)[:40]!r}.")
    return f"{recipe.name}/{mode}"


def wanted(mode: str, tag: str) -> dict[str, Any]:
    return {"rule": RULE, "having": HAVING[mode], "tags": [tag]}


def has_rule(recipe: Recipe, mode: str, tag: str) -> bool:
    return wanted(mode, tag) in recipe.definition.get("rules", [])


def add_rule(actor: Actor, recipe: Recipe, mode: str, tag: str) -> None:
    """Put the list at the top, so that rules about a task's fastest kernel see its samples only. Raises RecipeError."""
    rule = wanted(mode, tag)
    change(actor, recipe, f"Adds the list {tag}", lambda rules: rules if rule in rules else [rule, *rules])


def remove_rule(actor: Actor, recipe: Recipe, mode: str, tag: str) -> None:
    rule = wanted(mode, tag)
    change(
        actor, recipe, f"Removes the list {tag}", lambda rules: [other for other in rules if other != rule]
    )


def change(
    actor: Actor, recipe: Recipe, message: str, edit: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]
) -> None:
    """Change the rules as they are stored; if somebody else saves at the same moment, change theirs instead."""
    for left in reversed(range(ATTEMPTS)):
        stored = Recipe.objects.get(pk=recipe.pk)
        try:
            recipes.save(
                actor,
                {**stored.definition, "rules": edit(stored.definition.get("rules", []))},
                name=stored.name,
                title=stored.title,
                description=stored.description,
                recipe=stored,
                message=message,
                based_on=stored.save_count,
            )
            return
        except recipes.RecipeOutdatedError:
            if not left:
                raise
