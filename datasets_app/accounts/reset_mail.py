"""Links for a forgotten password, by e-mail, to the addresses that accounts gave."""

import logging
import threading
from datetime import timedelta
from smtplib import SMTPException
from typing import Any

from django import forms
from django.contrib.auth.forms import PasswordResetForm
from django.contrib.auth.models import User
from django.core.mail import send_mail
from django.db import connection
from django.http import HttpRequest
from django.utils import timezone

from datasets_app.accounts import audit
from datasets_app.accounts.actor import SITE, Actor, needs
from datasets_app.accounts.own_password import OwnPasswordError, check_own_password
from datasets_app.accounts.people import reset_path
from datasets_app.accounts.roles import Scope
from datasets_app.models import AuditEntry

log = logging.getLogger(__name__)
MOST_LINKS, WINDOW = 3, timedelta(hours=1)  # to one account
SENT_LINK = "password.reset-mail"
SUBJECT = "A new password for ConCuR Workbench"
TEXT = """\
Somebody asked for a new password for the account {name}. To choose one, open this page within a day:

{link}

The link works once. If it was not you, ignore this message: the password stays as it is.
"""


class AddressForm(forms.ModelForm):  # type: ignore[type-arg]
    """One's own e-mail address. Who can read its mail can set the password, so that the password is asked for."""

    password = forms.CharField(
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
        label="Your password",
    )

    class Meta:
        model = User
        fields = ["email"]
        labels = {"email": "E-mail, empty for none"}

    def __init__(self, *args: Any, request: HttpRequest, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.request = request

    def clean_password(self) -> None:
        try:
            check_own_password(self.request, self.cleaned_data["password"])
        except OwnPasswordError as error:
            raise forms.ValidationError(str(error)) from error


@needs(Scope.READ)
def change_address(form: AddressForm, *, actor: Actor) -> None:
    """Store the address of a valid form."""
    user = form.save()
    audit.record(actor, "account.email", user)


def send_in_background(address: str, root: str) -> None:
    """Send the links behind the answer, which then takes as long whether or not an account has the address."""
    threading.Thread(target=_send_and_close, args=[address, root], name="reset mail", daemon=True).start()


def send_links(address: str, root: str) -> int:
    """Send a link to each active account with this address; return how many. `root` is the site's own URL.

    An account gets a few in an hour, from wherever they are asked for, so that nobody's mailbox is filled with them.
    """
    sent = 0
    for user in PasswordResetForm().get_users(address):
        if links_sent_lately(user) >= MOST_LINKS:
            continue
        link = f"{root.rstrip('/')}{reset_path(user)}"
        text = TEXT.format(name=user.get_username(), link=link)
        try:
            send_mail(SUBJECT, text, None, [user.email])
        except (OSError, SMTPException) as error:
            log.error("A link for a new password could not be sent: %s", type(error).__name__)
            continue
        audit.record(SITE, "password.reset-mail", user, user=user.get_username())
        sent += 1
    return sent


def links_sent_lately(user: User) -> int:
    """Return how many links went to the account within the time that counts; of them, at most MOST_LINKS are read."""
    sent = AuditEntry.objects.filter(target_type=User._meta.label, target_id=str(user.pk), action=SENT_LINK)
    return len(sent.filter(at__gt=timezone.now() - WINDOW).values_list("pk")[:MOST_LINKS])


def _send_and_close(address: str, root: str) -> None:
    try:
        send_links(address, root)
    finally:
        connection.close()
