"""Django's sign-in form, behind the brake."""

from typing import Any

from django.contrib.auth.forms import AuthenticationForm
from django.core.exceptions import ValidationError

from datasets_app.accounts import brake
from datasets_app.accounts.addresses import brake_address
from datasets_app.accounts.known_devices import device_of

UNKNOWN = "That name and password do not match an active account."


class SignInForm(AuthenticationForm):
    """Refuses attempts after too many failures, with the same answer whether or not the name exists."""

    error_messages = {"invalid_login": UNKNOWN, "inactive": UNKNOWN}

    def clean(self) -> dict[str, Any]:
        name = self.cleaned_data.get("username", "")
        if not name or self.request is None:
            return super().clean()
        attempt = brake.Attempt.of(name, brake_address(self.request), device_of(self.request, name))
        try:
            noted = brake.begin(attempt)
        except brake.BrakedError as error:
            raise ValidationError(str(error), code="braked") from error
        cleaned = super().clean()  # a ValidationError leaves the attempt recorded
        brake.succeed(noted)
        return cleaned
