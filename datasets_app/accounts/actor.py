"""The actor of a request, a job or a command, with the scopes that it holds.

A role limits what an account may do; a token of that account may hold fewer scopes. An `Actor` holds the intersection,
so that a function that checks its actor cannot overlook the token.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from rest_framework.request import Request

from datasets_app.accounts.roles import Scope, scopes_of
from datasets_app.models import ApiToken
from datasets_app.models.audit import Via

__all__ = ["COMMAND", "SITE", "VERBS", "Actor", "Via", "account", "actor_of", "needs"]

# Who may do what needs a scope, as told to an account that lacks it.
NEEDED = {
    Scope.READ: "This needs an account with a role on this site.",
    Scope.METRICS: "Only administrators may do this.",
    Scope.ANNOTATE: "Only annotators, curators and administrators may do this; ask an administrator for the role.",
    Scope.CURATE: "Only curators and administrators may do this; ask an administrator for the role.",
    Scope.ADMIN: "Only administrators may do this.",
}

P = ParamSpec("P")
R = TypeVar("R")
API_ROOT = "/api/"

# Every verb by its full name, with the scope that it needs. Filled by `needs`.
VERBS: dict[str, tuple[Scope, Callable[..., Any]]] = {}


@dataclass(frozen=True)
class Actor:
    """An account, or the site itself, with the scopes that apply to the request."""

    user: Any  # the account; None for the site and its commands
    scopes: frozenset[Scope]
    via: Via  # how the request arrived; recorded in the audit log
    token: ApiToken | None = None  # the token that a program used

    @property
    def name(self) -> str:
        return str(self.user.get_username()) if self.user else str(self.via)

    def may(self, scope: Scope) -> bool:
        return scope in self.scopes

    def require(self, scope: Scope) -> None:
        """Raise PermissionDenied with an explanation if the scope is not held."""
        if scope in self.scopes:
            return
        if self.token is not None:
            raise PermissionDenied(
                f"This needs the scope {scope}. The token has: {', '.join(self.held())}. Create one with it on the "
                "account page, where your role allows it."
            )
        raise PermissionDenied(NEEDED[scope])

    def held(self) -> list[Scope]:
        """Return the scopes in their order, smallest first."""
        return [scope for scope in Scope if scope in self.scopes]

    def person(self) -> Any:
        """Return the account, for what only a person can do. Raises PermissionDenied for the site and its commands."""
        if self.user is None:
            raise PermissionDenied("Only an account can do this.")
        return self.user

    def is_user(self, user_id: Any) -> bool:
        """Return whether the account with this id is the actor; things without an owner (None) belong to nobody."""
        return self.user is not None and user_id is not None and self.user.pk == user_id


SITE = Actor(None, frozenset(Scope), Via.SITE)
COMMAND = Actor(None, frozenset(Scope), Via.COMMAND)


def actor_of(request: HttpRequest | Request) -> Actor:
    """Return the actor of a request: a session's account with its role, or a token with the scopes that role and token
    share."""
    auth, scopes = getattr(request, "auth", None), scopes_of(request.user)
    token = auth if isinstance(auth, ApiToken) else None
    if token is not None:
        scopes = frozenset(scope for scope in scopes if scope in token.scopes)
    via = Via.API if request.path.startswith(API_ROOT) else Via.PAGE
    return Actor(request.user if request.user.is_authenticated else None, scopes, via, token)


def account(user: Any, via: Via = Via.SITE) -> Actor:
    """Return the actor for an account outside a request, such as the requester of a background job.

    If that account was deleted meanwhile, the site itself finishes the job.
    """
    return Actor(user, scopes_of(user), via) if user is not None else SITE


def needs(scope: Scope) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Make a function a verb: its parameter `actor` must hold `scope`, or it raises PermissionDenied.

    A bare account instead of an actor is refused, since it does not carry the token that was used.
    """

    def decorate(verb: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(verb)
        if "actor" not in signature.parameters:
            raise TypeError(f"{verb.__qualname__} needs a parameter `actor`")

        @wraps(verb)
        def asked(*args: P.args, **kwargs: P.kwargs) -> R:
            actor = signature.bind(*args, **kwargs).arguments["actor"]
            if not isinstance(actor, Actor):
                raise TypeError(f"{verb.__qualname__} takes an Actor, not {actor!r}")
            actor.require(scope)
            return verb(*args, **kwargs)

        VERBS[f"{verb.__module__}.{verb.__qualname__}"] = scope, asked
        return asked

    return decorate
