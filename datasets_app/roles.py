"""Who may do what. A role is a Django group; each includes the ones before it; a superuser is an administrator."""

from collections.abc import Callable
from enum import StrEnum
from functools import wraps
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse


class Role(StrEnum):
    READER = "reader"
    ANNOTATOR = "annotator"
    CURATOR = "curator"
    ADMINISTRATOR = "administrator"


class Scope(StrEnum):
    """What an action needs: a role grants it to a person, a token to a program."""

    READ = "read"
    ANNOTATE = "annotate"  # review, tag, ask for a verification
    CURATE = "curate"  # ingest, recipes, releases
    ADMIN = "admin"


GRANTS = {
    Role.READER: {Scope.READ},
    Role.ANNOTATOR: {Scope.READ, Scope.ANNOTATE},
    Role.CURATOR: {Scope.READ, Scope.ANNOTATE, Scope.CURATE},
    Role.ADMINISTRATOR: set(Scope),
}


def role_of(user: Any) -> Role | None:
    """The highest role; every account that is in no group may read."""
    if not user.is_authenticated or not user.is_active:
        return None
    if user.is_superuser:
        return Role.ADMINISTRATOR
    if not hasattr(user, "_role"):
        names = set(user.groups.values_list("name", flat=True))
        user._role = next((role for role in reversed(Role) if role in names), Role.READER)
    role: Role = user._role
    return role


def may(user: Any, scope: Scope) -> bool:
    role = role_of(user)
    return role is not None and scope in GRANTS[role]


def require(scope: Scope) -> Callable[..., Any]:
    """Guard a view: signed in (the middleware sees to that) and holding `scope`, else 403 with a sentence."""

    def decorate(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if not may(request.user, scope):
                raise PermissionDenied(f"This needs the right to {scope}; ask an administrator for it.")
            return view(request, *args, **kwargs)

        return guarded

    return decorate
