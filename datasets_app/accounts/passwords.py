"""The forms that set a password: one's own, a forgotten one, or, for administrators, somebody else's."""

from typing import Any

from django import forms
from django.contrib.auth.forms import AdminPasswordChangeForm, PasswordChangeForm, SetPasswordForm
from django.http import HttpRequest

from datasets_app.accounts import api_tokens, audit
from datasets_app.accounts.actor import SITE, Actor, Via, account
from datasets_app.accounts.own_password import OwnPasswordError, check_own_password


class ChangePasswordForm(PasswordChangeForm):
    """Django's form, which can revoke the account's tokens as well. Guesses of the old password are braked."""

    revoke_tokens = forms.BooleanField(required=False, label="Revoke my API tokens too")

    def __init__(self, *args: Any, request: HttpRequest, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.request = request

    def clean_old_password(self) -> str:
        password = str(self.cleaned_data["old_password"])
        try:
            check_own_password(self.request, password)
        except OwnPasswordError as error:
            raise forms.ValidationError(str(error), code="password_incorrect") from error
        return password


class ForgottenPasswordForm(SetPasswordForm):
    """The owner of an account chooses a new password, through a link that an administrator made."""

    revoke_tokens = forms.BooleanField(required=False, label="Revoke my API tokens too")

    def save(self, commit: bool = True) -> Any:
        user = super().save(commit)
        actor = account(user, Via.PAGE)
        audit.record(actor, "password.reset-by-link", user)
        if self.cleaned_data["revoke_tokens"]:
            api_tokens.revoke_all(user, actor=actor)
        return user


class ResetPasswordForm(AdminPasswordChangeForm):
    """An administrator sets somebody's password, usually because somebody else may know the old one."""

    revoke_tokens = forms.BooleanField(
        required=False,
        initial=True,
        label="Revoke the account's API tokens too",
        help_text="Leave it on unless you know that nobody else has used the account.",
    )

    def __init__(self, *args: Any, actor: Actor = SITE, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.actor = actor

    def save(self, commit: bool = True) -> Any:
        user = super().save(commit)
        audit.record(self.actor, "password.reset", user)
        if self.cleaned_data["revoke_tokens"]:
            api_tokens.revoke_all(user, actor=self.actor)
        return user
