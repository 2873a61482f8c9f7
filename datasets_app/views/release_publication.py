"""The forms on a release's page: who may read it, its description, yanking it, its successor."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from datasets_app.accounts.actor import Actor, actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.roles import Scope
from datasets_app.export import publication as stage
from datasets_app.models import Publication, Release
from datasets_app.views.releases import card_context

Verb = Callable[[HttpRequest, Release, Actor], str]


def form(verb: Verb) -> Callable[[HttpRequest, str], HttpResponse]:
    """Return a view that calls `verb` and shows its message; a refused form comes back with what was typed."""

    @require(Scope.CURATE, "POST")
    def view(request: HttpRequest, name: str) -> HttpResponse:
        releases = Release.objects.select_related("recipe", "created_by", "stored_publication__superseded_by")
        release = get_object_or_404(releases, name=name)
        try:
            sentence = verb(request, release, actor_of(request))
        except stage.PublicationError as error:
            fault = {"field": error.field, "sentence": str(error)}
            context = card_context(request, release) | {"fault": fault, "typed": request.POST}
            return render(request, "release/release.html", context, status=400)
        messages.success(request, sentence)
        return redirect("release", name)

    return view


@form
def visibility(request: HttpRequest, release: Release, actor: Actor) -> str:
    names = request.POST["readers"].replace(",", "\n").split("\n") if "readers" in request.POST else None
    published = stage.set_visibility(release, request.POST.get("visibility", ""), names, actor=actor)
    return f"{release.name} is {published.get_visibility_display()} now. {published.readers_sentence}"


@form
def yank(request: HttpRequest, release: Release, actor: Actor) -> str:
    if request.POST.get("do") == "unyank":
        stage.unyank(release, actor=actor)
        return f"The yank of {release.name} is taken back."
    stage.yank(release, request.POST.get("reason", ""), actor=actor)
    return f"{release.name} is yanked. Its files can still be downloaded by name; every download warns."


@form
def describe(request: HttpRequest, release: Release, actor: Actor) -> str:
    stage.describe(release, request.POST.get("description", ""), actor=actor)
    return f"The page and the card of {release.name} have the description."


@form
def supersede(request: HttpRequest, release: Release, actor: Actor) -> str:
    publication: Publication = stage.supersede(
        release, request.POST.get("superseded_by", "").strip(), actor=actor
    )
    if publication.superseded_by is None:
        return f"{release.name} has no successor now."
    return f"{release.name} is superseded by {publication.superseded_by.name} now."
