"""Creates and revokes API tokens. A token never holds more than its owner's role."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.ownership import require_new_token, require_token
from datasets_app.accounts.roles import Scope, role_of, scopes_of
from datasets_app.models import ApiToken
from datasets_app.models.token import LONGEST_LABEL, digest
from datasets_app.text_input.numbers import row_id, whole_number
from datasets_app.text_input.validate import name_fault

MOST_DAYS = 3650


class TokenError(ValueError):
    """A token that cannot be created; the message says why."""


class ScopeError(TokenError):
    """Scopes that do not exist, or that the account's role does not grant."""


def own_scopes(user: Any) -> list[Scope]:
    """Return the scopes that the account's role grants, smallest first."""
    granted = scopes_of(user)
    return [scope for scope in Scope if scope in granted]


def checked_scopes(user: Any, names: Iterable[str]) -> list[str]:
    """Return the scopes of a new token: always `read`; `admin` includes all. Raises ScopeError."""
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
    """Return the label. Raises TokenError if it cannot be stored."""
    label = label.strip()
    if fault := name_fault("The label", label, LONGEST_LABEL):
        raise TokenError(fault)
    return label


def checked_days(days: str) -> datetime | None:
    """Return when a token of so many days expires; None for one that never does. Raises TokenError."""
    if not days.strip():
        return None
    number = whole_number(days, 1, MOST_DAYS)
    if number is None:
        raise TokenError(
            f"A token lives for 1 to {MOST_DAYS} days, not {days!r:.40}; leave it out for one that never expires."
        )
    return timezone.now() + timedelta(days=number)


def article(role: str | None) -> str:
    if role is None:
        return "an inactive account"
    return f"{'an' if role[0] in 'aeiou' else 'a'} {role}"


@needs(Scope.READ)
def make_token(
    user: Any, scopes: Iterable[str], label: str = "", days: str = "", *, actor: Actor
) -> tuple[ApiToken, str]:
    """Create a token for `user`, which expires after `days`, if any. Return its row and its text, which is shown only
    once. Raises TokenError, PermissionDenied."""
    require_new_token(actor, user.pk)
    row, text = ApiToken.issue(user, checked_scopes(user, scopes), checked_label(label), checked_days(days))
    audit.record(actor, "token.make", row, user=user.get_username(), scopes=row.scopes)
    return row, text


@needs(Scope.READ)
def revoke_token(token: ApiToken, *, actor: Actor) -> None:
    """Revoke a token. Its owner and administrators may do so; a second time changes nothing."""
    require_token(actor, token)
    if ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now()):
        audit.record(actor, "token.revoke", token, user=token.user.get_username())


@needs(Scope.READ)
def revoke_all(user: Any, *, actor: Actor) -> int:
    """Revoke every token of an account, for example after its password became known. Return how many there were."""
    tokens = list(ApiToken.objects.filter(user=user, revoked_at=None).select_related("user"))
    for token in tokens:
        revoke_token(token, actor=actor)
    return len(tokens)


def tokens_named(text: str) -> list[ApiToken]:
    """Return the tokens with this number, this text, or these first characters as lists show them."""
    tokens = ApiToken.objects.select_related("user")
    if number := row_id(text):
        return list(tokens.filter(pk=number))
    return list(tokens.filter(sha256=digest(text)) or tokens.filter(start=text.rstrip("…")))
