"""The accounts of a site: their roles, whether they may sign in, and links that reset a password.

Each change is a verb for administrators. None of them leaves the site without an active administrator.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.contrib.auth import SESSION_KEY
from django.contrib.auth.models import Group, User
from django.contrib.auth.tokens import default_token_generator
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from datasets_app.accounts import api_tokens, audit, invitations
from datasets_app.accounts.actor import Actor, needs
from datasets_app.accounts.roles import Role, Scope
from datasets_app.models import Invitation


class PeopleError(ValueError):
    """A change of an account that is refused; the message says why and what to do."""


def administrators() -> Any:
    """Return the active accounts that are administrators."""
    by_role = Q(is_superuser=True) | Q(groups__name=Role.ADMINISTRATOR)
    return User.objects.filter(by_role, is_active=True).distinct()


def may_administer(pk: Any) -> bool:
    """Return whether the account is an administrator now, whatever the request began as."""
    return bool(administrators().filter(pk=pk).exists())


@contextmanager
def locked_account(pk: int) -> Iterator[User]:
    """Yield the account for a change. Raise PeopleError, and undo the change, if no administrator would be left.

    The lock on the group makes two administrators who demote each other wait for one another.
    """
    with transaction.atomic():
        list(Group.objects.select_for_update().filter(name=Role.ADMINISTRATOR))
        user = User.objects.select_for_update().get(pk=pk)
        yield user
        if not administrators().exists():
            raise PeopleError(
                f"{user.get_username()} is the last active administrator: make somebody else an administrator first."
            )


@needs(Scope.ADMIN)
def change_role(user: User, role: str, *, actor: Actor) -> bool:
    """Give the account a role in place of its present one. Return False if it had the role. Raises PeopleError."""
    if role not in set(Role):
        raise PeopleError(f"There is no role {role[:40]!r}; these are: {', '.join(Role)}.")
    with locked_account(user.pk) as account:
        before = stored_role(account)
        if before == role:
            return False
        account.groups.set([Group.objects.get(name=role)])
        if account.is_superuser:
            account.is_superuser = False
            account.save(update_fields=["is_superuser"])
        if before == Role.ADMINISTRATOR:
            revoke_invitations(account, actor)
        audit.record(actor, "role.change", account, user=account.get_username(), was=before, role=role)
    return True


@needs(Scope.ADMIN)
def deactivate(user: User, *, actor: Actor) -> bool:
    """Close the account: it cannot sign in, and its tokens and sessions end. What it made stays. Raises PeopleError."""
    with locked_account(user.pk) as account:
        if not account.is_active:
            return False
        # Tokens and invitations are revoked as well: reactivating must not bring back what somebody else may hold.
        api_tokens.revoke_all(account, actor=actor)
        revoke_invitations(account, actor)
        account.is_active = False
        account.save(update_fields=["is_active"])
        end_sessions(account)
        audit.record(actor, "account.deactivate", account, user=account.get_username())
    return True


@needs(Scope.ADMIN)
def reactivate(user: User, *, actor: Actor) -> bool:
    """Open a closed account again, with its role and password."""
    with locked_account(user.pk) as account:
        if account.is_active:
            return False
        account.is_active = True
        account.save(update_fields=["is_active"])
        audit.record(actor, "account.reactivate", account, user=account.get_username())
    return True


@needs(Scope.ADMIN)
def make_reset_link(user: User, *, actor: Actor) -> str:
    """Return the path of a page where the account's owner chooses a new password. Raises PeopleError.

    Django's token ends with the next sign-in, with a change of password, and after PASSWORD_RESET_TIMEOUT.
    """
    if not user.is_active:
        raise PeopleError(f"{user.get_username()} is deactivated: reactivate the account first.")
    audit.record(actor, "password.reset-link", user, user=user.get_username())
    return reset_path(user)


def reset_path(user: User) -> str:
    uid = urlsafe_base64_encode(force_bytes(user.pk))
    return reverse("password_reset_confirm", args=[uid, default_token_generator.make_token(user)])


def stored_role(user: User) -> Role:
    """Return the account's role, whether or not the account is active."""
    if user.is_superuser:
        return Role.ADMINISTRATOR
    names = {group.name for group in user.groups.all()}
    return next((role for role in reversed(Role) if role in names), Role.READER)


def revoke_invitations(user: User, actor: Actor) -> None:
    """Revoke the open invitations of somebody who is no administrator any more."""
    for invitation in Invitation.objects.open().filter(made_by=user):
        invitations.revoke(invitation, actor=actor)


def end_sessions(user: User) -> None:
    """Delete the account's sessions. Django stores the account inside each session, so that all are read."""
    for session in Session.objects.filter(expire_date__gt=timezone.now()).iterator():
        if session.get_decoded().get(SESSION_KEY) == str(user.pk):
            session.delete()
