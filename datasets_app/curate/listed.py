"""A recipe's own lists of samples: a tag for those to keep, one for those to leave out, and a rule that asks for it."""

from __future__ import annotations

from typing import Any

from datasets_app.accounts.actor import Actor
from datasets_app.curate import recipes
from datasets_app.models import Recipe

INCLUDE, EXCLUDE = "include", "exclude"
HAVING = {INCLUDE: "some", EXCLUDE: "none"}
RULE = "has_tag"


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
    if not has_rule(recipe, mode, tag):
        change(actor, recipe, [wanted(mode, tag), *recipe.definition.get("rules", [])])


def remove_rule(actor: Actor, recipe: Recipe, mode: str, tag: str) -> None:
    rules = [rule for rule in recipe.definition.get("rules", []) if rule != wanted(mode, tag)]
    change(actor, recipe, rules)


def change(actor: Actor, recipe: Recipe, rules: list[dict[str, Any]]) -> None:
    recipes.save(
        actor,
        {**recipe.definition, "rules": rules},
        name=recipe.name,
        title=recipe.title,
        description=recipe.description,
        recipe=recipe,
    )
