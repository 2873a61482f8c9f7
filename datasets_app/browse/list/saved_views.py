"""Saved views: named lists. A view stores only the parameters of its URL, which are parsed each time it is opened."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.http import QueryDict
from django.utils import timezone

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.ownership import require_view
from datasets_app.accounts.roles import Scope
from datasets_app.browse.list.listing import Listing
from datasets_app.browse.query.errors import BrowseError
from datasets_app.models import DefaultView, SavedView
from datasets_app.models.bounds import LONGEST_QUERY
from datasets_app.models.saved_view import LONGEST_NAME
from datasets_app.text_input.validate import name_fault, storable_fault

KEPT_DELETED = timedelta(days=30)
NEVER_KEPT = ("cursor", "view", "limit", "csrfmiddlewaretoken")


class ViewError(ValueError):
    """A view that cannot be saved; the message says why and what to do."""


@dataclass(frozen=True)
class Opened:
    """A view as it can be shown now. `lost`: one sentence per parameter that is no longer valid."""

    listing: Listing
    lost: list[str]


# --- Reading ------------------------------------------------------------------------------------------


def visible_to(user: Any) -> QuerySet[SavedView]:
    """Return the account's own views and all shared ones, by name."""
    mine_or_shared = Q(owner=user) | Q(shared=True)
    return SavedView.objects.filter(mine_or_shared, deleted_at__isnull=True).select_related("owner")


def deleted_by(user: Any) -> QuerySet[SavedView]:
    """Return deleted views that can still be restored, the last deleted first."""
    since = timezone.now() - KEPT_DELETED
    return SavedView.objects.filter(owner=user, deleted_at__gte=since).order_by("-deleted_at")


def default_of(user: Any) -> SavedView | None:
    """Return the view that opens by default, unless it was deleted or is no longer shared."""
    default = DefaultView.objects.filter(user=user).values_list("view", flat=True).first()
    return visible_to(user).filter(pk=default).select_related(None).first() if default else None


def opened(view: SavedView) -> Opened:
    """Parse a view, and report parameters that are no longer valid; the view itself is not changed."""
    params = QueryDict(view.query, mutable=True)
    params["view"] = str(view.pk)
    lost: list[str] = []
    while True:
        try:
            return Opened(Listing.from_params(params), lost)
        except BrowseError as error:
            lost += error.sentences
            for name in error.errors:
                params.pop(name, None)


def query_of(text: str) -> str:
    """Return the parameters of a URL that a view stores. Raises ViewError for invalid ones."""
    if fault := storable_fault("The list's address", text, LONGEST_QUERY):
        raise ViewError(fault)
    params = QueryDict(text.rpartition("?")[2], mutable=True)
    for name in NEVER_KEPT:
        params.pop(name, None)
    try:
        return Listing.from_params(params).querystring
    except BrowseError as error:
        raise ViewError(str(error)) from error


# --- Verbs --------------------------------------------------------------------------------------------


@needs(Scope.READ)
def save(actor: Actor, name: str, query: str, *, shared: bool = False) -> SavedView:
    """Save a list under a new name. Raises ViewError, PermissionDenied."""
    check_sharing(actor, shared)
    view = SavedView(name=clean_name(name), owner=actor.person(), query=query_of(query), shared=shared)
    return stored(actor, view, "view.save")


@needs(Scope.READ)
def change(
    actor: Actor,
    view: SavedView,
    *,
    name: str | None = None,
    query: str | None = None,
    shared: bool | None = None,
) -> SavedView:
    """Rename or share a view, or replace its list; None leaves a field unchanged. Raises ViewError,
    PermissionDenied.
    """
    require_view(actor, view)
    view.shared = view.shared if shared is None else shared
    check_sharing(actor, view.shared)
    view.name = view.name if name is None else clean_name(name)
    view.query = view.query if query is None else query_of(query)
    return stored(actor, view, "view.change")


def stored(actor: Actor, view: SavedView, action: str) -> SavedView:
    try:
        with transaction.atomic():
            view.save()
            audit.record(actor, action, view, name=view.name, query=view.query, shared=view.shared)
    except IntegrityError:
        raise ViewError(
            f"You have a view {view.name!r} already; choose another name, or delete that one."
        ) from None
    return view


@needs(Scope.READ)
def delete(actor: Actor, view: SavedView) -> None:
    """Delete a view. It can be restored for a month; whoever had it as default has none then."""
    require_view(actor, view)
    with transaction.atomic():
        SavedView.objects.filter(deleted_at__lt=timezone.now() - KEPT_DELETED).delete()
        SavedView.objects.filter(pk=view.pk).update(deleted_at=timezone.now())
        audit.record(actor, "view.delete", view, name=view.name)


@needs(Scope.READ)
def restore(actor: Actor, view: SavedView) -> None:
    """Restore a deleted view, shared if it was. Raises ViewError if its name was taken meanwhile."""
    require_view(actor, view)
    check_sharing(actor, view.shared)
    view.deleted_at = None
    stored(actor, view, "view.restore")


@needs(Scope.READ)
def set_default(actor: Actor, view: SavedView | None) -> None:
    """Set the view that the list opens with for this person; None: everything."""
    if view is None:
        DefaultView.objects.filter(user=actor.person()).delete()
    else:
        DefaultView.objects.update_or_create(user=actor.person(), defaults={"view": view})


def check_sharing(actor: Actor, shared: bool) -> None:
    """Raise PermissionDenied unless the actor may share views."""
    if shared:
        actor.require(Scope.ANNOTATE)


def clean_name(name: str) -> str:
    text = " ".join(name.split())
    if not text:
        raise ViewError("Give the view a name, such as: fast and unreviewed.")
    if fault := name_fault("The name", text, LONGEST_NAME):
        raise ViewError(fault)
    return text
