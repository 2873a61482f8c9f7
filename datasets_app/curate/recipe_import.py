"""Stores a recipe from the text of a file: a new one, or the next version of one's own."""

from __future__ import annotations

from typing import NamedTuple

from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.curate import recipes
from datasets_app.curate.definition import RecipeError
from datasets_app.curate.recipe_files import read_recipe
from datasets_app.models import Recipe

CREATED, CHANGED, UNCHANGED = "created", "changed", "unchanged"
MOST_CHARS = 500_000  # a recipe with 50 rules and a long description has some 40,000


class Imported(NamedTuple):
    recipe: Recipe
    result: str  # created, changed, unchanged


@needs(Scope.CURATE)
def import_recipe(
    actor: Actor, text: str, *, name: str = "", as_version: bool = False, message: str = ""
) -> Imported:
    """Store the recipe that a JSON or TOML text describes, under `name` instead of its own if one is given.

    `as_version`: a recipe of that name gets a new version; else it is refused. Raises RecipeError with every fault,
    PermissionDenied.
    """
    if len(text) > MOST_CHARS:
        raise RecipeError(
            {"recipe": f"The text has {len(text):,} characters; at most {MOST_CHARS:,} are allowed."}
        )
    read = read_recipe(text)
    wanted = name or read.name
    before = Recipe.objects.filter(name=wanted).first() if as_version else None
    stored = recipes.save(
        actor,
        read.definition.to_json(),
        name=wanted,
        title=read.title,
        description=read.description,
        recipe=before,
        message=message,
    )
    if before is None:
        return Imported(stored, CREATED)
    return Imported(stored, UNCHANGED if stored.save_count == before.save_count else CHANGED)
