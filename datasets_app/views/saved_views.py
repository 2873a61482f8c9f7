"""Saved views: open, save, change, delete, restore."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.db.models import Q
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.next_page import LONGEST
from datasets_app.accounts.roles import Scope
from datasets_app.browse.list import saved_views
from datasets_app.models import SavedView
from datasets_app.text_input.numbers import row_id


@require(Scope.READ)
def view_list(request: HttpRequest) -> HttpResponse:
    views = [(view, saved_views.opened(view)) for view in saved_views.visible_to(request.user)]
    context = {
        "views": views,
        "deleted": saved_views.deleted_by(request.user),
        "default": saved_views.default_of(request.user),
    }
    return render(request, "browse/views.html", context)


@require(Scope.READ)
def open_view(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the list as saved, with a message per parameter that is no longer valid."""
    view = get_object_or_404(saved_views.visible_to(request.user), pk=pk)
    opened = saved_views.opened(view)
    for sentence in opened.lost:
        messages.warning(request, f"Left out of the view {view.name}: {sentence}")
    return HttpResponseRedirect(opened.listing.url())


@require(Scope.READ, "POST")
def save(request: HttpRequest) -> HttpResponse:
    """Save the list in `query` as a new view; with `as_default` as the default view."""
    query = request.POST.get("query", "")
    try:
        shared = "shared" in request.POST
        view = saved_views.save(actor_of(request), request.POST.get("name", ""), query, shared=shared)
    except saved_views.ViewError as error:
        messages.error(request, str(error))
        return HttpResponseRedirect(f"{reverse('browse')}?{query[:LONGEST] or 'view=all'}")
    if "as_default" in request.POST:
        saved_views.set_default(actor_of(request), view)
    messages.success(request, f"Saved as {view.name}.")
    return redirect(view)


def find(request: HttpRequest, pk: int) -> SavedView:
    """Return an own view, deleted or not, or a shared one; verbs check who may change it."""
    return get_object_or_404(SavedView, Q(owner=request.user) | Q(shared=True, deleted_at=None), pk=pk)


def owned(act: Callable[[HttpRequest, SavedView], Any]) -> Callable[..., HttpResponse]:
    """Wrap a POST on an own view; a refusal is shown on the page of views."""

    @require(Scope.READ, "POST")
    def view(request: HttpRequest, pk: int) -> HttpResponse:
        try:
            answer = act(request, find(request, pk))
        except saved_views.ViewError as error:
            messages.error(request, str(error))
            answer = None
        return answer or redirect("views")

    return view


@owned
def change(request: HttpRequest, view: SavedView) -> HttpResponse | None:
    """Change the fields in the form: a name, whether it is shared, or another list."""
    given = request.POST
    shared = given.get("shared") == "yes" if "shared" in given else None
    saved_views.change(
        actor_of(request), view, name=given.get("name"), query=given.get("query"), shared=shared
    )
    return redirect(view) if "query" in given else None


@owned
def delete(request: HttpRequest, view: SavedView) -> None:
    saved_views.delete(actor_of(request), view)


@owned
def restore(request: HttpRequest, view: SavedView) -> None:
    saved_views.restore(actor_of(request), view)


@require(Scope.READ, "POST")
def set_default(request: HttpRequest) -> HttpResponse:
    """Make `view` the default view; without one, the list opens with everything."""
    pk = request.POST.get("view", "")
    mine = saved_views.visible_to(request.user)
    view = get_object_or_404(mine, pk=row_id(pk)) if pk else None
    saved_views.set_default(actor_of(request), view)
    return redirect("views")
