"""/curate/: recipes, the composer with its funnel, two recipes side by side, and the freeze."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.ownership import may_change_recipe
from datasets_app.accounts.roles import Scope
from datasets_app.curate import draft as drafts
from datasets_app.curate import freeze, recipes
from datasets_app.curate.compare import compare
from datasets_app.curate.definition import RecipeError, parse
from datasets_app.curate.draft import Draft
from datasets_app.curate.preview import preview
from datasets_app.curate.rules import RULES
from datasets_app.curate.why_empty import why_empty
from datasets_app.models import Recipe, Sample
from datasets_app.views.funnel import preview_context

NAMES = ("name", "title", "description")


@require(Scope.READ)
def recipe_list(request: HttpRequest) -> HttpResponse:
    recipes = Recipe.objects.annotate(release_count=Count("releases")).order_by("-builtin", "name")
    return render(request, "curate/list.html", {"recipes": recipes, "has_samples": Sample.objects.exists()})


@require(Scope.READ, "GET", "POST")
def new(request: HttpRequest) -> HttpResponse:
    """Show an unsaved recipe."""
    return compose(request, None, drafts.empty())


@require(Scope.READ, "GET", "POST")
def recipe(request: HttpRequest, name: str) -> HttpResponse:
    stored = get_object_or_404(Recipe, name=name)
    return compose(request, stored, Draft(stored.definition))


def compose(request: HttpRequest, stored: Recipe | None, draft: Draft) -> HttpResponse:
    """Show the recipe on GET. POST carries the whole draft, performs the pressed button's action, and shows the
    result.
    """
    words = {name: getattr(stored, name, "") for name in NAMES}
    if request.method == "POST":
        draft = drafts.from_form(request.POST)
        words = {name: request.POST.get(name, "").strip() for name in NAMES}
        drafts.press(draft, request.POST)
        if request.POST.get("do") == "save" and (saved := save(request, stored, draft, words)):
            return redirect("recipe", saved.name)
    return render(request, template_for(request), composer_context(request, stored, draft, words))


def save(request: HttpRequest, stored: Recipe | None, draft: Draft, words: dict[str, str]) -> Recipe | None:
    """Return the stored recipe, or None with the draft's faults set. Raises PermissionDenied."""
    try:
        saved = recipes.save(actor_of(request), draft.data, recipe=stored, **words)
    except RecipeError as error:
        draft.faults |= error.faults
        return None
    messages.success(request, f"Recipe {saved.name} is saved.")
    return saved


def template_for(request: HttpRequest) -> str:
    """Return the funnel alone while somebody types, the composer when rules are moved."""
    htmx: Any = getattr(request, "htmx", None)
    if not htmx or htmx.boosted:
        return "curate/recipe.html"
    return "curate/_funnel_and_faults.html" if htmx.target == "funnel" else "curate/_composer.html"


def composer_context(
    request: HttpRequest, stored: Recipe | None, draft: Draft, words: dict[str, str]
) -> dict[str, Any]:
    definition = draft.definition()
    actor = actor_of(request)
    own = may_change_recipe(actor, stored) if stored else actor.may(Scope.CURATE)
    context = {
        "recipe": stored,
        "draft": draft,
        "words": words,
        "rules_to_add": RULES.values(),
        "may_change": own,
        "address": request.path,
        "changed": bool(stored and definition and definition.to_json() != stored.definition),
    }
    if definition is None:
        return context
    shown = preview_context(preview(definition))
    return {**context, **shown, "why_empty": "" if shown["row_count"] else why_empty(definition)}


@require(Scope.CURATE, "POST")
def copy(request: HttpRequest, name: str) -> HttpResponse:
    made = recipes.copy(actor_of(request), get_object_or_404(Recipe, name=name))
    messages.success(request, f"This is a copy of {name}. Change what you like; {name} stays as it is.")
    return redirect("recipe", made.name)


@require(Scope.CURATE, "POST")
def delete(request: HttpRequest, name: str) -> HttpResponse:
    stored = get_object_or_404(Recipe, name=name)
    try:
        recipes.delete(actor_of(request), stored)
    except RecipeError as error:
        raise PermissionDenied(str(error)) from error
    messages.success(request, f"Recipe {name} is deleted. Releases made from it stay.")
    return redirect("curate")


@require(Scope.CURATE, "POST")
def freeze_recipe(request: HttpRequest, name: str) -> HttpResponse:
    """Freeze the recipe as it is stored into a release."""
    stored = get_object_or_404(Recipe, name=name)
    fields = {key: request.POST.get(key, "").strip() for key in ("title", "notes")}
    wanted = request.POST.get("name", "").strip()
    try:
        release = freeze.create(
            actor_of(request), name=wanted, definition=parse(stored.definition), recipe=stored, **fields
        )
    except RecipeError as error:
        messages.error(request, " ".join(error.faults.values()))
        return redirect(f"{reverse('recipe', args=[name])}#freeze")
    return redirect("release", release.name)


@require(Scope.READ)
def compare_recipes(request: HttpRequest) -> HttpResponse:
    """Two stored recipes, side by side."""
    by_name = {row.name: row for row in Recipe.objects.all()}
    one, other = (by_name.get(request.GET.get(key, "")) for key in ("one", "other"))
    context: dict[str, Any] = {"recipes": by_name.values(), "one": one, "other": other}
    if one and other:
        result = compare(parse(one.definition), parse(other.definition))
        context["comparison"] = result
        context["sides"] = [
            {"recipe": one, **preview_context(result.one), "only": result.only_one},
            {"recipe": other, **preview_context(result.other), "only": result.only_other},
        ]
    return render(request, "curate/compare.html", context)
