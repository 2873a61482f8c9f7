"""Links for a forgotten password, by e-mail, to the addresses that accounts gave."""

import logging
import threading
from smtplib import SMTPException

from django import forms
from django.contrib.auth.forms import PasswordResetForm
from django.contrib.auth.models import User
from django.core.mail import send_mail
from django.db import connection

from datasets_app.accounts import audit
from datasets_app.accounts.actor import SITE, Actor, needs
from datasets_app.accounts.people import reset_path
from datasets_app.accounts.roles import Scope

log = logging.getLogger(__name__)
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

    def clean_password(self) -> None:
        if not self.instance.check_password(self.cleaned_data["password"]):
            raise forms.ValidationError("That is not your password.")


@needs(Scope.READ)
def change_address(form: AddressForm, *, actor: Actor) -> None:
    """Store the address of a valid form."""
    user = form.save()
    audit.record(actor, "account.email", user)


def send_in_background(address: str, root: str) -> None:
    """Send the links behind the answer, which then takes as long whether or not an account has the address."""
    threading.Thread(target=_send_and_close, args=[address, root], name="reset mail", daemon=True).start()


def send_links(address: str, root: str) -> int:
    """Send a link to each active account with this address; return how many. `root` is the site's own URL."""
    sent = 0
    for user in PasswordResetForm().get_users(address):
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


def _send_and_close(address: str, root: str) -> None:
    try:
        send_links(address, root)
    finally:
        connection.close()
