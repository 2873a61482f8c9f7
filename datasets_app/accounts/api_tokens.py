"""API tokens: make one, revoke one. A token never holds more than its owner's role."""

from collections.abc import Iterable
from typing import Any

from django.utils import timezone

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.ownership import require_new_token, require_token
from datasets_app.accounts.roles import Scope, role_of, scopes_of
from datasets_app.models import ApiToken
from datasets_app.models.token import LONGEST_LABEL, digest
from datasets_app.text_input.validate import name_fault


class TokenError(ValueError):
    """A token that cannot be; the message says why."""


class ScopeError(TokenError):
    """Scopes that do not exist, or that the account's role does not grant."""


def own_scopes(user: Any) -> list[Scope]:
    """What the account's role grants, smallest first."""
    granted = scopes_of(user)
    return [scope for scope in Scope if scope in granted]


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


def checked_label(label: str) -> str:
    """Raises TokenError for one that cannot be stored."""
    label = label.strip()
    if fault := name_fault("The label", label, LONGEST_LABEL):
        raise TokenError(fault)
    return label


def article(role: str | None) -> str:
    if role is None:
        return "an inactive account"
    return f"{'an' if role[0] in 'aeiou' else 'a'} {role}"


@needs(Scope.READ)
def make_token(user: Any, scopes: Iterable[str], label: str = "", *, actor: Actor) -> tuple[ApiToken, str]:
    """A new token for `user`: its row, and its text, shown this once. Raises TokenError, PermissionDenied."""
    require_new_token(actor, user.pk)
    row, text = ApiToken.issue(user, checked_scopes(user, scopes), checked_label(label))
    audit.record(actor, "token.make", row, user=user.get_username(), scopes=row.scopes)
    return row, text


@needs(Scope.READ)
def revoke_token(token: ApiToken, *, actor: Actor) -> None:
    """The token opens nothing from now on. Its owner and administrators may revoke it; twice is once."""
    require_token(actor, token)
    if ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now()):
        audit.record(actor, "token.revoke", token, user=token.user.get_username())


@needs(Scope.READ)
def revoke_all(user: Any, *, actor: Actor) -> int:
    """Revoke every token of an account, as after a password is known to others. Returns how many there were."""
    tokens = list(ApiToken.objects.filter(user=user, revoked_at=None).select_related("user"))
    for token in tokens:
        revoke_token(token, actor=actor)
    return len(tokens)


def tokens_named(text: str) -> list[ApiToken]:
    """Tokens by number, by the token itself, or by the first characters as lists show them."""
    tokens = ApiToken.objects.select_related("user")
    if text.isascii() and text.isdigit():
        return list(tokens.filter(pk=int(text)))
    return list(tokens.filter(sha256=digest(text)) or tokens.filter(start=text.rstrip("…")))
