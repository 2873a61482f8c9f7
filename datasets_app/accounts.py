"""API tokens: make one, revoke one. A token never holds more than its owner's role."""

from collections.abc import Iterable
from typing import Any

from django.core.exceptions import PermissionDenied
from django.utils import timezone

from datasets_app import audit
from datasets_app.models import ApiToken
from datasets_app.models.token import digest
from datasets_app.roles import GRANTS, Scope, may, role_of


class ScopeError(ValueError):
    """Scopes that do not exist, or that the account's role does not grant."""


def own_scopes(user: Any) -> list[Scope]:
    """What the account's role grants, smallest first."""
    role = role_of(user)
    return [scope for scope in Scope if role and scope in GRANTS[role]]


def checked_scopes(user: Any, names: Iterable[str]) -> list[str]:
    """The scopes of a new token: always `read`; `admin` stands for all. Raises ScopeError."""
    wanted = {name.strip() for name in names if name.strip()} | {Scope.READ}
    if unknown := wanted - set(Scope):
        raise ScopeError(f"There is no scope {', '.join(sorted(unknown))}; these are: {', '.join(Scope)}.")
    if Scope.ADMIN in wanted:
        wanted = set(Scope)
    mine = own_scopes(user)
    if beyond := [scope for scope in Scope if scope in wanted and scope not in mine]:
        raise ScopeError(
            f"{user} is {article(role_of(user))}, who may not {', '.join(beyond)}; "
            f"scopes within that role are: {', '.join(mine) or 'none'}."
        )
    return [scope for scope in Scope if scope in wanted]


def article(role: str | None) -> str:
    if role is None:
        return "an inactive account"
    return f"{'an' if role[0] in 'aeiou' else 'a'} {role}"


def make_token(user: Any, scopes: Iterable[str], label: str = "", actor: Any = None) -> tuple[ApiToken, str]:
    """A new token for `user`, made by `actor` (None: the shell): its row, and its text, shown this once."""
    row, text = ApiToken.issue(user, checked_scopes(user, scopes), label.strip()[:80])
    audit.record(actor, "token.make", row, user=user.get_username(), scopes=row.scopes)
    return row, text


def revoke_token(token: ApiToken, actor: Any = None) -> None:
    """The token opens nothing from now on. Its owner and administrators may revoke it; twice is once."""
    if actor is not None and token.user_id != actor.pk and not may(actor, Scope.ADMIN):
        raise PermissionDenied("Only its owner or an administrator may revoke a token.")
    if ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now()):
        audit.record(actor, "token.revoke", token, user=token.user.get_username())


def tokens_named(text: str) -> list[ApiToken]:
    """Tokens by number, by the token itself, or by the first characters as lists show them."""
    tokens = ApiToken.objects.select_related("user")
    if text.isascii() and text.isdigit():
        return list(tokens.filter(pk=int(text)))
    return list(tokens.filter(sha256=digest(text)) or tokens.filter(start=text.rstrip("…")))
