"""/curate/: recipes, the composer with its funnel, two recipes side by side, and the freeze."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.ownership import may_change_recipe
from datasets_app.accounts.roles import Scope
from datasets_app.browse.query.hidden_reviews import count_hidden, hidden_from
from datasets_app.curate import draft as drafts
from datasets_app.curate import freeze, recipes
from datasets_app.curate.changes import changes
from datasets_app.curate.definition import RecipeError, parse
from datasets_app.curate.draft import Draft
from datasets_app.curate.preview import preview
from datasets_app.curate.rules import RULES
from datasets_app.curate.why_empty import why_empty
from datasets_app.models import Recipe, Sample
from datasets_app.views.funnel import preview_context

NAMES = ("name", "title", "description")
TYPED = (*NAMES, "message")
GONE = "There is no recipe {name} any more: it was deleted or renamed. Your draft is below; save it as a new recipe."


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
    stored = Recipe.objects.filter(name=name).first()
    if stored is not None:
        return compose(request, stored, Draft(stored.definition))
    if request.method != "POST":
        raise Http404(f"There is no recipe {name!r}.")
    return compose_again(request, name)


def compose_again(request: HttpRequest, name: str) -> HttpResponse:
    """Show the draft of a recipe that is gone as that of a new one: nothing that was typed is lost."""
    draft = drafts.from_form(request.POST)
    words = {field: request.POST.get(field, "").strip() for field in TYPED}
    drafts.press(draft, request.POST)
    draft.faults |= {"recipe": GONE.format(name=name)}
    context = composer_context(request, None, draft, words, None) | {"address": reverse("recipe-new")}
    return render(request, template_for(request), context)


def compose(request: HttpRequest, stored: Recipe | None, draft: Draft) -> HttpResponse:
    """Show the recipe on GET. POST carries the whole draft, performs the pressed button's action, and shows the
    result.
    """
    words = {name: getattr(stored, name, "") for name in NAMES}
    based_on = stored.save_count if stored else None
    if request.method == "POST":
        draft = drafts.from_form(request.POST)
        words = {name: request.POST.get(name, "").strip() for name in TYPED}
        based_on = count_of(request.POST.get("based_on", ""), based_on)
        drafts.press(draft, request.POST)
        if request.POST.get("do") == "save" and (saved := save(request, stored, draft, words, based_on)):
            return redirect("recipe", saved.name)
    context = composer_context(request, stored, draft, words, based_on)
    return render(request, template_for(request), context)


def count_of(text: str, otherwise: int | None) -> int | None:
    """Return the save_count that a form began from; one without it began from what is stored."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else otherwise


def save(
    request: HttpRequest, stored: Recipe | None, draft: Draft, words: dict[str, str], based_on: int | None
) -> Recipe | None:
    """Return the stored recipe, or None with the draft's faults set. Raises PermissionDenied."""
    try:
        saved = recipes.save(actor_of(request), draft.data, recipe=stored, based_on=based_on, **words)
    except RecipeError as error:
        draft.faults |= error.faults
        draft.outdated_by = getattr(error, "current", None)
        return None
    unchanged = stored is not None and saved.save_count == stored.save_count
    said = "is as it was; nothing was saved" if unchanged else f"is saved as version {saved.version}"
    messages.success(request, f"Recipe {saved.name} {said}.")
    return saved


def template_for(request: HttpRequest) -> str:
    """Return the funnel alone while somebody types, the composer when rules are moved."""
    htmx: Any = getattr(request, "htmx", None)
    if not htmx or htmx.boosted:
        return "curate/recipe.html"
    return "curate/_funnel_and_faults.html" if htmx.target == "funnel" else "curate/_composer.html"


def composer_context(
    request: HttpRequest, stored: Recipe | None, draft: Draft, words: dict[str, str], based_on: int | None
) -> dict[str, Any]:
    definition = draft.definition()
    newer = draft.outdated_by
    actor = actor_of(request)
    own = may_change_recipe(actor, stored) if stored else actor.may(Scope.CURATE)
    context = {
        "recipe": stored,
        "draft": draft,
        "words": words,
        "rules_to_add": RULES.values(),
        "may_change": own,
        "address": request.path,
        "based_on": newer.save_count if newer else based_on,
        "differences": changes(parse(newer.definition), definition) if newer and definition else [],
        "changed": bool(stored and definition and definition.to_json() != stored.definition),
    }
    if definition is None:
        return context
    shown = preview_context(preview(definition, hidden=hidden_from(actor)))
    hidden_count = count_hidden(actor)
    return {
        **context,
        **shown,
        "hidden_reviews": hidden_count,
        "why_empty": "" if shown["row_count"] else why_empty(definition),
    }


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
    title, notes = (request.POST.get(key, "").strip() for key in ("title", "notes"))
    wanted = request.POST.get("name", "").strip()
    try:
        release = freeze.create(
            actor_of(request),
            name=wanted,
            definition=parse(stored.definition),
            recipe=stored,
            title=title,
            notes=notes,
        )
    except RecipeError as error:
        messages.error(request, " ".join(error.faults.values()))
        return redirect(f"{reverse('recipe', args=[name])}#freeze")
    return redirect("release", release.name)
