"""Bulk actions from the list: start, follow, undo, download."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseRedirect,
)
from django.shortcuts import get_object_or_404, render
from django.urls import reverse

from datasets_app import bulk
from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.next_page import next_page
from datasets_app.accounts.ownership import visible_actions
from datasets_app.accounts.roles import Scope
from datasets_app.bulk import BulkError, Target
from datasets_app.bulk.bar import bar_of, panel_of
from datasets_app.bulk.exported_file import exported_file
from datasets_app.bulk.target import Count
from datasets_app.models import BulkAction, Recipe, Tag
from datasets_app.review import assignments
from datasets_app.views.htmx import HtmxRequest

MOST_CHOICES = 200


class CountChangedError(Exception):
    """The number of samples differs from the one on the page, so that the action must be confirmed."""


@require(Scope.ANNOTATE, "POST")
def act(request: HttpRequest) -> HttpResponse:
    """Start an action; `do` is verb:selected or verb:all. A refused one returns a form with all choices kept."""
    verb, _, scope = request.POST.get("do", "").partition(":")
    try:
        target, expected = target_of(request, scope)
        made = bulk.start(actor_of(request), verb, target, request.POST.dict(), expected)
    except CountChangedError:
        notice = "The result has changed since the page was loaded. Check the number, then confirm."
        return ask_again(request, verb, scope, notice, 409)
    except BulkError as error:
        return ask_again(request, verb, scope, str(error), 400)
    return HttpResponseRedirect(made.get_absolute_url() if made.error else back(request))


def target_of(request: HttpRequest, scope: str) -> tuple[Target, int | None]:
    """Return the target, and the number of samples that the page named, if any."""
    if scope != "all":
        return Target.of_ids(request.POST.getlist("sample")), None
    target = Target.of_query(request.POST.get("query", ""))
    count = Count.read(request.POST.get("expected", ""))
    if count is None or not target.count(actor_of(request)).agrees(count):
        raise CountChangedError
    return target, count.number if count.exact else None


def ask_again(request: HttpRequest, verb: str, scope: str, notice: str, status: int) -> HttpResponse:
    panel = panel_of(actor_of(request), verb)
    if panel is None:
        messages.error(request, notice)
        return HttpResponseRedirect(back(request))
    try:
        total = Target.of_query(request.POST.get("query", "")).count(actor_of(request))
    except BulkError:
        total = Count(0)
    context = {
        "panel": panel,
        "verb": verb,
        "scope": scope,
        "notice": notice,
        "total": total,
        "picked": request.POST.getlist("sample") if scope != "all" else [],
        "params": request.POST,
        "query": request.POST.get("query", ""),
        "back": back(request),
    }
    return render(request, "browse/act.html", context, status=status)


def back(request: HttpRequest) -> str:
    return next_page(request, reverse("browse"))


@require(Scope.ANNOTATE)
def choices(request: HttpRequest) -> HttpResponse:
    """Return the choices of the forms; loaded when one of them is opened."""
    context = {
        "tags": Tag.objects.all()[:MOST_CHOICES],
        "reviewers": assignments.reviewers()[:MOST_CHOICES],
        "recipes": Recipe.objects.filter(builtin=False).only("name", "title")[:MOST_CHOICES],
    }
    return render(request, "browse/_choices.html", context)


@require(Scope.READ)
def detail(request: HtmxRequest, pk: UUID) -> HttpResponse:
    """Show one action; for htmx, which polls while it runs, only its bar."""
    bulk = own(request, pk)
    context: dict[str, Any] = {"bar": bar_of(bulk)}
    return render(request, "browse/_bar.html" if request.htmx else "browse/bulk_action.html", context)


@require(Scope.ANNOTATE, "POST")
def undo(request: HttpRequest, pk: UUID) -> HttpResponse:
    try:
        bulk.undo(actor_of(request), own(request, pk))
    except BulkError as error:
        messages.error(request, str(error))
    return HttpResponseRedirect(back(request))


@require(Scope.READ, "POST")
def dismiss(request: HttpRequest, pk: UUID) -> HttpResponse:
    bulk.dismiss(actor_of(request), own(request, pk))
    return HttpResponseRedirect(back(request))


@require(Scope.ANNOTATE)
def download(request: HttpRequest, pk: UUID) -> HttpResponseBase:
    """Send the rows of an export."""
    return exported_file(own(request, pk))


def own(request: HttpRequest, pk: UUID) -> BulkAction:
    """Return an action of this account; for an administrator, any action."""
    concerning = BulkAction.objects.filter(visible_actions(actor_of(request)))
    return get_object_or_404(concerning.select_related("undoes", "actor"), pk=pk)
