"""Saves, copies and deletes recipes. A recipe that comes with the project is copied, never changed."""

from __future__ import annotations

import re
from typing import Any

from django.db import IntegrityError, transaction

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.ownership import require_recipe
from datasets_app.accounts.roles import Scope
from datasets_app.curate.definition import Definition, RecipeError, parse, parse_text
from datasets_app.models import Recipe
from datasets_app.models.bounds import LONGEST_TEXT, LONGEST_TITLE
from datasets_app.text_input import validate

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}")
NAME_RULE = "Use letters, digits, hyphens and underscores, such as short-and-fast; at most 80 characters."
RESERVED = frozenset({"new", "compare"})


def name_fault(name: str) -> str:
    """Return the fault of a name for a recipe or a release; empty if there is none."""
    if not name:
        return "Give it a name. " + NAME_RULE
    if not NAME.fullmatch(name):
        return f"{name[:80]!r} cannot be a name. " + NAME_RULE
    return f"{name!r} is a word that the site uses itself; choose another." if name in RESERVED else ""


@needs(Scope.CURATE)
def save(
    actor: Actor,
    data: Any,
    *,
    name: str,
    title: str = "",
    description: str = "",
    recipe: Recipe | None = None,
) -> Recipe:
    """Store a recipe: a new one, or `recipe` changed. Raises RecipeError with every fault, PermissionDenied."""
    if recipe is not None:
        require_recipe(actor, recipe)
    faults = meta_faults(name, title, description, recipe)
    try:
        definition = parse(data)
    except RecipeError as error:
        raise RecipeError(faults | error.faults) from error
    if faults:
        raise RecipeError(faults)
    stored = recipe or Recipe(created_by=actor.user)
    stored.name, stored.title, stored.description = name, title, description
    stored.definition = definition.to_json()
    try:
        with transaction.atomic():
            stored.save()
            audit.record(actor, "recipe.change" if recipe else "recipe.create", stored, name=name)
    except IntegrityError:  # somebody else was faster
        raise RecipeError({"name": taken(name)}) from None
    return stored


def meta_faults(name: str, title: str, description: str, recipe: Recipe | None) -> dict[str, str]:
    faults = {}
    if recipe is not None and recipe.builtin:
        faults["name"] = f"{recipe.name} comes with the project and stays as it is. Copy it to change it."
    elif fault := name_fault(name):
        faults["name"] = fault
    elif is_taken(name, recipe):
        faults["name"] = taken(name)
    return faults | text_faults(title, "description", description)


def text_faults(title: str, name: str, text: str) -> dict[str, str]:
    """Return the faults of a title and of the longer text (called `name`) beside it, by field."""
    faults = {
        "title": validate.name_fault("The title", title, LONGEST_TITLE),
        name: validate.prose_fault(f"The field {name}", text, LONGEST_TEXT),
    }
    return {field: fault for field, fault in faults.items() if fault}


def taken(name: str) -> str:
    return f"There is a recipe {name} already; choose another name."


def is_taken(name: str, recipe: Recipe | None) -> bool:
    """Return whether a recipe other than `recipe` has the name, in any case."""
    named = Recipe.objects.filter(name__iexact=name)
    return (named.exclude(pk=recipe.pk) if recipe else named).exists()


@needs(Scope.CURATE)
def copy(actor: Actor, recipe: Recipe) -> Recipe:
    """Store a copy that can be changed, under the first free name."""
    return save(
        actor,
        recipe.definition,
        name=free_name(recipe.name),
        title=f"{recipe.title} (copy)"[:LONGEST_TITLE],
        description=recipe.description,
    )


def free_name(name: str) -> str:
    taken = set(Recipe.objects.filter(name__startswith=name[:70]).values_list("name", flat=True))
    numbered = (f"{name[:70]}-copy" + (f"-{number}" if number > 1 else "") for number in range(1, 10_000))
    return next(candidate for candidate in numbered if candidate not in taken)


@needs(Scope.CURATE)
def delete(actor: Actor, recipe: Recipe) -> None:
    """Delete a recipe; releases keep their own copy of its definition. Raises RecipeError, PermissionDenied."""
    require_recipe(actor, recipe)
    if recipe.builtin:
        raise RecipeError({"name": f"{recipe.name} comes with the project and stays."})
    with transaction.atomic():
        audit.record(actor, "recipe.delete", recipe, name=recipe.name)
        recipe.delete()


def named(text: str) -> tuple[Recipe | None, Definition, str]:
    """Return a recipe by name, or one in a JSON file: its row (None for a file), its definition, a name for the record.

    Raises RecipeError.
    """
    recipe = Recipe.objects.filter(name=text).first()
    if recipe is not None:
        return recipe, parse(recipe.definition), recipe.name
    try:
        with open(text, encoding="utf-8") as file:
            return None, parse_text(file.read()), text.rsplit("/", 1)[-1][:80]
    except (OSError, UnicodeDecodeError) as error:
        names = ", ".join(Recipe.objects.values_list("name", flat=True))
        raise RecipeError(
            {"recipe": f"{text!r} is neither a recipe ({names}) nor a readable file."}
        ) from error
