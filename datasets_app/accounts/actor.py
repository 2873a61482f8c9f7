"""Who acts, and with which scopes: made once for a request, a job or a command, and asked by every verb.

A role says what an account may do at most; a token of that account may hold fewer scopes. An `Actor` holds what
is left of both, so that a verb that asks its actor cannot forget the token.
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

P = ParamSpec("P")
R = TypeVar("R")
API_ROOT = "/api/"

# Every verb by its full name, with the scope that it asks for. Filled by `needs`.
VERBS: dict[str, tuple[Scope, Callable[..., Any]]] = {}


@dataclass(frozen=True)
class Actor:
    """A person, or the site itself, with the scopes that hold for what is being asked."""

    user: Any  # the account; None for the site and its commands
    scopes: frozenset[Scope]
    via: Via  # how the request came in; the audit log keeps it
    token: ApiToken | None = None  # the key that a program used

    @property
    def name(self) -> str:
        return str(self.user.get_username()) if self.user else str(self.via)

    def may(self, scope: Scope) -> bool:
        return scope in self.scopes

    def require(self, scope: Scope) -> None:
        """Raise PermissionDenied with a sentence where the scope is not held."""
        if scope in self.scopes:
            return
        if self.token is not None:
            raise PermissionDenied(f"This needs the scope {scope}. The token has: {', '.join(self.held())}.")
        raise PermissionDenied(f"This needs the right to {scope}; ask an administrator for it.")

    def held(self) -> list[Scope]:
        """The scopes in their order, smallest first."""
        return [scope for scope in Scope if scope in self.scopes]

    def person(self) -> Any:
        """The account, for what only a person can do. Raises PermissionDenied for the site and its commands."""
        if self.user is None:
            raise PermissionDenied("Only an account can do this.")
        return self.user

    def is_user(self, user_id: Any) -> bool:
        """Return whether the account with this id acts; nobody's things (None) are nobody's."""
        return self.user is not None and user_id is not None and self.user.pk == user_id


SITE = Actor(None, frozenset(Scope), Via.SITE)
COMMAND = Actor(None, frozenset(Scope), Via.COMMAND)


def actor_of(request: HttpRequest | Request) -> Actor:
    """Return who acts in a request: a session's account with its role, a token with what both grant."""
    auth, scopes = getattr(request, "auth", None), scopes_of(request.user)
    token = auth if isinstance(auth, ApiToken) else None
    if token is not None:
        scopes = frozenset(scope for scope in scopes if scope in token.scopes)
    via = Via.API if request.path.startswith(API_ROOT) else Via.PAGE
    return Actor(request.user if request.user.is_authenticated else None, scopes, via, token)


def account(user: Any, via: Via = Via.SITE) -> Actor:
    """Return the actor for an account outside a request, such as the one who asked for a background job.

    A job whose account was deleted meanwhile is finished by the site.
    """
    return Actor(user, scopes_of(user), via) if user is not None else SITE


def needs(scope: Scope) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Make a function a verb: its parameter `actor` must hold `scope`, else it raises PermissionDenied.

    A bare account in an actor's place is refused: it does not know of the token that it came with.
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
