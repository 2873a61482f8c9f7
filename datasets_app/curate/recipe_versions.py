"""The versions of a recipe: read, found by name, described in words, restored.

`NAME` is a recipe's newest version, `NAME@3` its third: commands, addresses and REST write them so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import Scope
from datasets_app.curate import recipes
from datasets_app.curate.changes import Change, changes
from datasets_app.curate.definition import Definition, RecipeError, parse
from datasets_app.curate.recipe_files import read_recipe
from datasets_app.models import Recipe, RecipeVersion

REFERENCE = re.compile(r"([A-Za-z0-9][A-Za-z0-9_-]*)(?:@([1-9][0-9]{0,8}))?")
MOST_BYTES = 2**20  # of a file: a recipe with 50 rules has some ten thousand


@dataclass(frozen=True)
class Named:
    """A definition with its origin. `recipe` and `number` are None where it came from a file."""

    definition: Definition
    recipe: Recipe | None
    number: int | None
    name: str  # for the record


@dataclass(frozen=True)
class Entry:
    """One line of a recipe's history."""

    version: RecipeVersion
    changes: list[Change]  # from the version before; empty for the first
    fault: str = ""  # why this site cannot read the definition any more


def find(reference: str) -> Named | None:
    """Return the stored recipe that `NAME` or `NAME@3` refers to; None if there is none. Raises RecipeError."""
    match = REFERENCE.fullmatch(reference)
    recipe = Recipe.objects.filter(name=match[1]).first() if match else None
    if match is None or recipe is None:
        return None
    if match[2] is None or int(match[2]) == recipe.version:
        return Named(parse(recipe.definition), recipe, recipe.version, recipe.name)
    version = recipe.versions.filter(number=int(match[2])).first()
    if version is None:
        raise RecipeError(
            {"recipe": f"{recipe.name} has no version {match[2]}: its newest one is {recipe.version}."}
        )
    return Named(parse(version.definition), recipe, version.number, recipe.name)


def named(text: str) -> Named:
    """Return a recipe by reference, or one in a JSON or TOML file. Raises RecipeError."""
    if (found := find(text)) is not None:
        return found
    try:
        with open(text, encoding="utf-8") as file:
            read = read_recipe(file.read(MOST_BYTES))
    except (OSError, UnicodeDecodeError) as error:
        names = ", ".join(Recipe.objects.values_list("name", flat=True))
        raise RecipeError(
            {"recipe": f"{text!r} is neither a recipe ({names}) nor a readable file."}
        ) from error
    return Named(read.definition, None, None, read.name or text.rsplit("/", 1)[-1][:80])


def history(recipe: Recipe) -> list[Entry]:
    """Return every version, newest first, each with what it changed; one query."""
    versions = list(recipe.versions.select_related("created_by").order_by("number"))
    return list(reversed(list(entries(versions))))


def entries(versions: list[RecipeVersion]) -> Iterator[Entry]:
    before: Definition | None = None
    for version in versions:
        try:
            now = parse(version.definition)
        except RecipeError as error:  # a rule that the project had once
            yield Entry(version, [], f"This site cannot read this version: {error}")
            before = None
            continue
        yield Entry(version, changes(before, now) if before is not None else [])
        before = now


@needs(Scope.CURATE)
def restore(actor: Actor, recipe: Recipe, number: int, based_on: int | None = None) -> Recipe:
    """Save an old version again, as the newest one. Raises RecipeError, PermissionDenied."""
    version = recipe.versions.filter(number=number).first()
    if version is None:
        raise RecipeError({"recipe": f"{recipe.name} has no version {number}."})
    return recipes.save(
        actor,
        version.definition,
        name=recipe.name,
        title=recipe.title,
        description=recipe.description,
        recipe=recipe,
        message=f"Restores version {number}",
        based_on=based_on,
    )
