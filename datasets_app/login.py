"""Signing in, with a brake: after a few failures in a minute a name waits at that address.

The failures are rows, so that every process of the site sees them and no cache has to be set up. They
are forgotten after their minute.
"""

from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.forms import AuthenticationForm
from django.core.exceptions import ValidationError
from django.utils import timezone

from datasets_app.models import LoginFailure

FAILURES = 5
WINDOW = timedelta(minutes=1)


class SignInForm(AuthenticationForm):
    """Django's form, which also counts failures and refuses to try while there were too many."""

    error_messages = {
        "invalid_login": "That name and password do not match an active account.",
        "inactive": "That name and password do not match an active account.",
    }

    def clean(self) -> dict[str, Any]:
        name = self.cleaned_data.get("username", "")
        address = self.request.META.get("REMOTE_ADDR", "") if self.request else ""
        refuse_while_braked(name, address)
        try:
            return super().clean()
        except ValidationError:
            note_failure(name, address)
            raise


def refuse_while_braked(name: str, address: str) -> None:
    """Raises ValidationError with the seconds to wait; a right password does not help meanwhile."""
    now = timezone.now()
    recent = LoginFailure.objects.filter(name=name.lower(), address=address, at__gt=now - WINDOW)
    times = list(recent.order_by("-at").values_list("at", flat=True)[:FAILURES])
    if len(times) == FAILURES:
        raise ValidationError(
            f"Too many failures for this name. Try again in {seconds_left(times[-1], now)} s."
        )


def seconds_left(oldest: datetime, now: datetime) -> int:
    return max(1, round((oldest + WINDOW - now).total_seconds()))


def note_failure(name: str, address: str) -> None:
    LoginFailure.objects.filter(at__lte=timezone.now() - WINDOW).delete()
    LoginFailure.objects.create(name=name.lower()[:150], address=address[:45])
