"""/curate/: the versions of a recipe, recipes as files, and two recipes or versions side by side."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from datasets_app.accounts.actor import Actor, actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.ownership import may_change_recipe, readable_releases
from datasets_app.accounts.roles import Scope
from datasets_app.analysis.figures.shifts import ShiftFigure, Sides, shift_figure
from datasets_app.browse.query.hidden_reviews import count_hidden, hidden_from
from datasets_app.curate import recipe_versions
from datasets_app.curate.changes import changes
from datasets_app.curate.compare import compare
from datasets_app.curate.definition import RecipeError
from datasets_app.curate.recipe_files import FORMATS, TYPES, write_recipe
from datasets_app.curate.recipe_import import MOST_CHARS, UNCHANGED, import_recipe
from datasets_app.curate.recipe_versions import Named, find, history
from datasets_app.curate.shift import Shift, shifts
from datasets_app.models import Recipe
from datasets_app.views.curate import count_of
from datasets_app.views.funnel import preview_context

HEADINGS = {  # of the shifts, each with the unit of its medians
    "lengths": ("Trace length", " tokens"),
    "speedups": ("Measured speedup", "×"),
    "kinds": ("Task mix", ""),
}
OFFERED = 8  # comparisons to begin with
MOST_FILE_BYTES = 4 * MOST_CHARS  # of UTF-8


@require(Scope.READ)
def versions(request: HttpRequest, name: str) -> HttpResponse:
    """List a recipe's versions, newest first, each with what it changed and the releases frozen from it that the
    reader may read."""
    recipe = get_object_or_404(Recipe, name=name)
    readable = readable_releases(actor_of(request)).filter(recipe=recipe, recipe_version__isnull=False)
    releases: dict[int, list[str]] = {}
    for release, number in readable.values_list("name", "recipe_version"):
        releases.setdefault(number or 0, []).append(release)
    entries = [(entry, releases.get(entry.version.number, [])) for entry in history(recipe)]
    context = {
        "recipe": recipe,
        "entries": entries,
        "may_change": may_change_recipe(actor_of(request), recipe),
    }
    return render(request, "curate/versions.html", context)


@require(Scope.CURATE, "POST")
def restore(request: HttpRequest, name: str, number: int) -> HttpResponse:
    """Save an old version again."""
    recipe = get_object_or_404(Recipe, name=name)
    based_on = count_of(request.POST.get("based_on", ""), None)
    try:
        saved = recipe_versions.restore(actor_of(request), recipe, number, based_on)
    except RecipeError as error:
        messages.error(request, " ".join(error.faults.values()))
    else:
        same = saved.version == recipe.version
        said = "is the newest one already" if same else f"is saved again, as version {saved.version}"
        messages.success(request, f"Version {number} of {name} {said}.")
    return redirect("recipe-versions", name)


@require(Scope.READ)
def file(request: HttpRequest, name: str, form: str) -> HttpResponse:
    """Send a recipe as a file: `?version=3`, or its newest version."""
    number = request.GET.get("version", "")
    named = found(f"{name}@{number}" if number else name)
    if named.recipe is None or form not in FORMATS:
        raise Http404(f"A recipe is sent as {' or '.join(FORMATS)}.")
    recipe = named.recipe
    text = write_recipe(form, recipe.name, recipe.title, recipe.description, named.definition)
    disposition = {"Content-Disposition": f'attachment; filename="{recipe.name}.{form}"'}
    return HttpResponse(text, content_type=f"{TYPES[form]}; charset=utf-8", headers=disposition)


def found(reference: str) -> Named:
    """Return the recipe. Raises Http404 with the reason."""
    try:
        named = find(reference)
    except RecipeError as error:
        raise Http404(" ".join(error.faults.values())) from error
    if named is None:
        raise Http404(f"There is no recipe {reference}.")
    return named


@require(Scope.CURATE, "GET", "POST")
def import_file(request: HttpRequest) -> HttpResponse:
    """Store a recipe from a file or from text. What is refused is shown again, with its faults."""
    typed = {key: request.POST.get(key, "").strip() for key in ("text", "name", "message")}
    as_version = "as_version" in request.POST
    context: dict[str, Any] = {**typed, "as_version": as_version, "faults": []}
    if request.method == "POST":
        try:
            context["text"] = typed["text"] = uploaded_text(request) or typed["text"]
            done = import_recipe(actor_of(request), as_version=as_version, **typed)
        except RecipeError as error:
            context["faults"] = list(error.faults.values())
            return render(request, "curate/import.html", context, status=400)
        said = "is as it was" if done.result == UNCHANGED else f"is stored as version {done.recipe.version}"
        messages.success(request, f"Recipe {done.recipe.name} {said}.")
        return redirect("recipe", done.recipe.name)
    return render(request, "curate/import.html", context)


def uploaded_text(request: HttpRequest) -> str:
    """Return the text of the uploaded file; empty without one. Raises RecipeError."""
    sent = request.FILES.get("file")
    if sent is None:
        return ""
    if (sent.size or 0) > MOST_FILE_BYTES:
        raise RecipeError(
            {"recipe": f"The file has {sent.size:,} bytes; at most {MOST_FILE_BYTES:,} are allowed."}
        )
    try:
        return sent.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise RecipeError({"recipe": f"The file is not UTF-8 at byte {error.start:,}."}) from error


@require(Scope.READ)
def compare_recipes(request: HttpRequest) -> HttpResponse:
    """Two stored recipes, or versions of recipes, side by side."""
    recipes = list(Recipe.objects.only("name", "title", "version", "builtin"))
    references = {key: request.GET.get(key, "") for key in ("one", "other")}
    context: dict[str, Any] = {**references, **choices(recipes, **references), "fault": ""}
    try:
        one, other = (find(reference) if reference else None for reference in references.values())
    except RecipeError as error:
        return render(
            request, "curate/compare.html", {**context, "fault": " ".join(error.faults.values())}, status=400
        )
    if one and other:
        context |= compared(one, other, references, actor_of(request))
    return render(request, "curate/compare.html", context)


def choices(recipes: list[Recipe], one: str, other: str) -> dict[str, Any]:
    """Return the names to choose from, two different ones to begin with, and comparisons that answer a question."""
    names = [recipe.name for recipe in recipes]
    picked_one = one or next((name for name in names if name != other), "")
    picked_other = other or next((name for name in names if name != picked_one), "")
    first = next((recipe for recipe in recipes if recipe.name == picked_one), None)
    beside = [recipe for recipe in recipes if first and recipe != first and (one or recipe.builtin)]
    changed = [recipe for recipe in recipes if recipe.version > 1 and (not one or recipe == first)]
    return {
        "names": names,
        "picked_one": picked_one,
        "picked_other": picked_other,
        "pairs": [
            *(
                (f"{recipe.name}@{recipe.version - 1}", recipe.name, f"What version {recipe.version} changed")
                for recipe in changed
            ),
            *((picked_one, recipe.name, recipe.title) for recipe in beside),
        ][:OFFERED],
    }


def compared(one: Named, other: Named, references: dict[str, str], actor: Actor) -> dict[str, Any]:
    result = compare(one.definition, other.definition, hidden_from(actor))
    chosen = ([entry.row for entry in side.selection.chosen] for side in (result.one, result.other))
    return {
        "comparison": result,
        "hidden_reviews": count_hidden(actor),
        "figures": [figure_of(shift, references) for shift in shifts(*chosen)],
        "changes": changes(one.definition, other.definition),
        "sides": [
            {
                "name": references["one"],
                "recipe": one.recipe,
                **preview_context(result.one),
                "only": result.only_one,
            },
            {
                "name": references["other"],
                "recipe": other.recipe,
                **preview_context(result.other),
                "only": result.only_other,
            },
        ],
    }


def figure_of(shift: Shift, references: dict[str, str]) -> ShiftFigure:
    sides = Sides(
        (references["one"], references["other"]),
        shift.groups,
        (shift.one, shift.other),
        shift.shares(),
        shift.medians,
    )
    return shift_figure(shift.name, *HEADINGS[shift.name], sides)
