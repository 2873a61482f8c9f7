"""Saves, copies and deletes recipes. A recipe that comes with the project is copied, never changed."""

from __future__ import annotations

import re
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.ownership import require_recipe
from datasets_app.accounts.roles import Scope
from datasets_app.curate.definition import RecipeError, parse
from datasets_app.models import Recipe, RecipeVersion
from datasets_app.models.bounds import LONGEST_REASON, LONGEST_TEXT, LONGEST_TITLE
from datasets_app.text_input import validate

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}")
NAME_RULE = "Use letters, digits, hyphens and underscores, such as short-and-fast; at most 80 characters."
RESERVED = frozenset({"new", "compare", "import"})


def name_fault(name: str) -> str:
    """Return the fault of a name for a recipe or a release; empty if there is none."""
    if not name:
        return "Give it a name. " + NAME_RULE
    if not NAME.fullmatch(name):
        return f"{name[:80]!r} cannot be a name. " + NAME_RULE
    return f"{name!r} is a word that the site uses itself; choose another." if name in RESERVED else ""


class RecipeOutdatedError(RecipeError):
    """Somebody else saved the recipe since the form was opened. Nothing was stored."""

    def __init__(self, current: Recipe, newest: RecipeVersion | None) -> None:
        self.current = current
        who = newest.created_by if newest is not None else None
        by = f" by {who}" if who else ""
        said = f" (“{newest.message}”)" if newest is not None and newest.message else ""
        super().__init__(
            {
                "recipe": f"{current.name} was saved since you opened it: its newest version is {current.version}{by}"
                f"{said}. Nothing was stored, and nothing of yours is lost: compare, then save again to put yours on "
                "top."
            }
        )


@needs(Scope.CURATE)
def save(
    actor: Actor,
    data: Any,
    *,
    name: str,
    title: str = "",
    description: str = "",
    recipe: Recipe | None = None,
    message: str = "",
    based_on: int | None = None,
) -> Recipe:
    """Store a recipe: a new one, or `recipe` changed. A changed definition becomes the next version.

    `based_on`: the save_count that the change began from; None changes whatever is stored. Raises RecipeError with
    every fault, RecipeOutdatedError, PermissionDenied.
    """
    if recipe is not None:
        require_recipe(actor, recipe)
    faults = meta_faults(name, title, description, recipe) | message_faults(message)
    try:
        definition = parse(data)
    except RecipeError as error:
        raise RecipeError(faults | error.faults) from error
    if faults:
        raise RecipeError(faults)
    fields = {"name": name, "title": title, "description": description, "definition": definition.to_json()}
    try:
        with transaction.atomic():
            return (
                create(actor, fields, message)
                if recipe is None
                else change(actor, recipe, fields, message, based_on)
            )
    except IntegrityError:  # somebody else was faster
        raise RecipeError({"name": taken(name)}) from None


def create(actor: Actor, fields: dict[str, Any], message: str) -> Recipe:
    recipe = Recipe.objects.create(created_by=actor.user, **fields)
    add_version(actor, recipe, message)
    audit.record(actor, "recipe.create", recipe, name=recipe.name)
    return recipe


def change(
    actor: Actor, recipe: Recipe, fields: dict[str, Any], message: str, based_on: int | None
) -> Recipe:
    """Store what differs. Raises RecipeOutdatedError, RecipeError if the recipe was deleted meanwhile."""
    stored = current(recipe, based_on)
    if all(getattr(stored, key) == value for key, value in fields.items()):
        return stored
    is_new = stored.definition != fields["definition"]
    for key, value in fields.items():
        setattr(stored, key, value)
    stored.version += is_new
    stored.save_count += 1
    stored.save()
    if is_new:
        add_version(actor, stored, message)
    audit.record(
        actor, "recipe.change", stored, name=stored.name, version=stored.version, message=message[:200]
    )
    return stored


def current(recipe: Recipe, based_on: int | None) -> Recipe:
    """Return the row as stored, locked until the transaction ends, if it was not saved since `based_on`."""
    # The write comes before the read: of two at once, the second waits here and reads what the first stored.
    if not Recipe.objects.filter(pk=recipe.pk).update(save_count=F("save_count")):
        raise RecipeError(
            {"recipe": f"{recipe.name} was deleted meanwhile. Change its name to save yours as a new recipe."}
        )
    stored = Recipe.objects.get(pk=recipe.pk)
    if based_on is not None and stored.save_count != based_on:
        raise RecipeOutdatedError(stored, stored.versions.select_related("created_by").first())
    return stored


def add_version(actor: Actor, recipe: Recipe, message: str) -> None:
    RecipeVersion.objects.create(
        recipe=recipe,
        number=recipe.version,
        definition=recipe.definition,
        message=message,
        created_by=actor.user,
    )


def message_faults(message: str) -> dict[str, str]:
    fault = validate.prose_fault("The message", message, LONGEST_REASON)
    return {"message": fault} if fault else {}


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
    alike = Recipe.objects.filter(name__istartswith=name[:70]).values_list("name", flat=True)
    taken = {stored.lower() for stored in alike}  # names differ by more than their case
    numbered = (f"{name[:70]}-copy" + (f"-{number}" if number > 1 else "") for number in range(1, 10_000))
    return next(candidate for candidate in numbered if candidate.lower() not in taken)


@needs(Scope.CURATE)
def delete(actor: Actor, recipe: Recipe) -> None:
    """Delete a recipe; releases keep their own copy of its definition. Raises RecipeError, PermissionDenied."""
    require_recipe(actor, recipe)
    if recipe.builtin:
        raise RecipeError({"name": f"{recipe.name} comes with the project and stays."})
    with transaction.atomic():
        audit.record(actor, "recipe.delete", recipe, name=recipe.name)
        recipe.delete()
