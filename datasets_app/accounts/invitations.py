"""Invitations: a link that an administrator makes, and with which one person makes an account of a given role."""

import secrets
from datetime import timedelta
from typing import Any, ClassVar

from django.conf import settings
from django.contrib.auth.forms import UserCreationForm
from django.contrib.auth.models import Group, User
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from datasets_app.accounts import audit
from datasets_app.accounts.actor import Actor, Via, account, needs
from datasets_app.accounts.roles import Role, Scope
from datasets_app.models import Invitation
from datasets_app.models.invitation import LONGEST_NOTE, invitation_digest
from datasets_app.text_input.validate import name_fault

VALID_DAYS = 7
GONE = "This invitation was used, revoked or has expired. Ask the administrator who sent it for a new one."


class InvitationError(ValueError):
    """An invitation that cannot be made or used; the message says why."""


class JoinForm(UserCreationForm):
    """Django's form for a new account: a name that nobody has, and a password that the validators accept.

    Where the site sends mail, it also takes an address for a forgotten password.
    """

    class Meta(UserCreationForm.Meta):
        fields = ("username", "email")
        labels: ClassVar = {"username": "Name", "email": "E-mail, for a forgotten password (optional)"}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not settings.SENDS_MAIL:
            del self.fields["email"]

    def clean_username(self) -> Any:
        name = super().clean_username()
        if name and name.lower() in set(Via):  # the audit log uses these names for the site and its commands
            raise ValidationError(f"The name {name} is reserved; choose another.", code="reserved")
        return name


@needs(Scope.ADMIN)
def invite(role: str, note: str = "", *, actor: Actor) -> tuple[Invitation, str]:
    """Create an invitation. Return it with the text of its link, which cannot be read again. Raises InvitationError."""
    if role not in set(Role):
        raise InvitationError(f"There is no role {role[:40]!r}; these are: {', '.join(Role)}.")
    note = note.strip()
    if note and (fault := name_fault("The note", note, LONGEST_NOTE)):
        raise InvitationError(fault)
    text = secrets.token_urlsafe(32)
    row = Invitation.objects.create(
        sha256=invitation_digest(text),
        role=role,
        note=note,
        made_by=actor.user,
        expires_at=timezone.now() + timedelta(days=VALID_DAYS),
    )
    audit.record(actor, "invitation.make", row, role=role, note=note)
    return row, text


@needs(Scope.ADMIN)
def revoke(invitation: Invitation, *, actor: Actor) -> bool:
    """Revoke an open invitation. Return False if it was not open any more."""
    revoked = Invitation.objects.open().filter(pk=invitation.pk).update(revoked_at=timezone.now())
    if revoked:
        audit.record(actor, "invitation.revoke", invitation, role=invitation.role, note=invitation.note)
    return bool(revoked)


def path(text: str) -> str:
    """Return the path of the page that an invitation's link opens."""
    return reverse("join", args=[text])


def find(text: str) -> Invitation | None:
    """Return the open invitation with this text, if any."""
    return Invitation.objects.open().filter(sha256=invitation_digest(text)).first()


def join(text: str, form: JoinForm) -> User:
    """Make the account of a valid form with the invitation, which is used up by it. Raises InvitationError.

    Of two people who send the same link at once, the update lets one through. If no account is made, the invitation
    stays open.
    """
    try:
        with transaction.atomic():
            open_ones = Invitation.objects.open().filter(sha256=invitation_digest(text))
            if not open_ones.update(used_at=timezone.now()):
                raise InvitationError(GONE)
            invitation = Invitation.objects.get(sha256=invitation_digest(text))
            user: User = form.save()
            user.groups.set([Group.objects.get(name=invitation.role)])
            Invitation.objects.filter(pk=invitation.pk).update(account=user)
            audit.record(
                account(user, Via.PAGE), "invitation.use", user, user=user.username, role=invitation.role
            )
    except IntegrityError as error:
        raise InvitationError("Somebody took this name a moment ago; choose another.") from error
    return user
