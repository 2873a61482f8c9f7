"""What people do with recipes: save, copy, delete. A recipe that comes with the project is copied, never changed."""

from __future__ import annotations

import re
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import transaction

from datasets_app import audit
from datasets_app.curate.definition import Definition, RecipeError, parse, parse_text
from datasets_app.models import Recipe
from datasets_app.roles import Scope, may

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}")
NAME_RULE = "Use letters, digits, hyphens and underscores, such as short-and-fast; at most 80 characters."
RESERVED = frozenset({"new", "compare"})
MAX_TITLE = 200


def check_actor(actor: Any) -> None:
    if actor is not None and not may(actor, Scope.CURATE):
        raise PermissionDenied(f"This needs the right to {Scope.CURATE}; ask an administrator for it.")


def name_fault(name: str) -> str:
    """What is wrong with a name for a recipe or a release; empty when nothing is."""
    if not name:
        return "Give it a name. " + NAME_RULE
    if not NAME.fullmatch(name):
        return f"{name[:80]!r} cannot be a name. " + NAME_RULE
    return f"{name!r} is a word that the site uses itself; choose another." if name in RESERVED else ""


def save(
    actor: Any, data: Any, *, name: str, title: str = "", description: str = "", recipe: Recipe | None = None
) -> Recipe:
    """Store a recipe: a new one, or `recipe` changed. Raises RecipeError with every fault, PermissionDenied."""
    check_actor(actor)
    faults = meta_faults(name, title, recipe)
    try:
        definition = parse(data)
    except RecipeError as error:
        raise RecipeError(faults | error.faults) from error
    if faults:
        raise RecipeError(faults)
    with transaction.atomic():
        stored = recipe or Recipe(created_by=actor)
        stored.name, stored.title, stored.description = name, title, description
        stored.definition = definition.to_json()
        stored.save()
        audit.record(actor, "recipe.change" if recipe else "recipe.create", stored, name=name)
    return stored


def meta_faults(name: str, title: str, recipe: Recipe | None) -> dict[str, str]:
    faults = {}
    if recipe is not None and recipe.builtin:
        faults["name"] = f"{recipe.name} comes with the project and stays as it is. Copy it to change it."
    elif fault := name_fault(name):
        faults["name"] = fault
    elif Recipe.objects.filter(name__iexact=name).exclude(pk=recipe.pk if recipe else 0).exists():
        faults["name"] = f"There is a recipe {name} already; choose another name."
    if len(title) > MAX_TITLE:
        faults["title"] = f"The title has {len(title)} characters; {MAX_TITLE} are the most."
    return faults


def copy(actor: Any, recipe: Recipe) -> Recipe:
    """A copy that may be changed, under the first free name."""
    return save(
        actor,
        recipe.definition,
        name=free_name(recipe.name),
        title=f"{recipe.title} (copy)"[:MAX_TITLE],
        description=recipe.description,
    )


def free_name(name: str) -> str:
    taken = set(Recipe.objects.filter(name__startswith=name[:70]).values_list("name", flat=True))
    numbered = (f"{name[:70]}-copy" + (f"-{number}" if number > 1 else "") for number in range(1, 10_000))
    return next(candidate for candidate in numbered if candidate not in taken)


def delete(actor: Any, recipe: Recipe) -> None:
    """Releases made from it keep their own copy of the definition."""
    check_actor(actor)
    if recipe.builtin:
        raise RecipeError({"name": f"{recipe.name} comes with the project and stays."})
    with transaction.atomic():
        audit.record(actor, "recipe.delete", recipe, name=recipe.name)
        recipe.delete()


def named(text: str) -> tuple[Recipe | None, Definition, str]:
    """A recipe by name, or one in a JSON file: its row (None for a file), its definition, a name for the record.

    Raises RecipeError.
    """
    recipe = Recipe.objects.filter(name=text).first()
    if recipe is not None:
        return recipe, parse(recipe.definition), recipe.name
    try:
        with open(text, encoding="utf-8") as file:
            return None, parse_text(file.read()), text.rsplit("/", 1)[-1][:80]
    except (OSError, UnicodeDecodeError) as error:
        known = ", ".join(Recipe.objects.values_list("name", flat=True))
        raise RecipeError(
            {"recipe": f"{text!r} is neither a recipe ({known}) nor a readable file."}
        ) from error
