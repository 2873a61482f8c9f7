"""Checks the password of somebody who is signed in already, before a change for which a session alone is not enough.

Guesses are braked as on the sign-in page: a session that was left open or taken must not become a way to find the
password.
"""

from django.http import HttpRequest

from datasets_app.accounts import brake
from datasets_app.accounts.addresses import brake_address
from datasets_app.accounts.known_devices import device_of

WRONG = "That is not your password. Nothing was changed."


class OwnPasswordError(Exception):
    """The password is wrong, or there were too many failures; the message says which."""


def check_own_password(request: HttpRequest, password: str) -> None:
    """Raise OwnPasswordError unless the password is that of the account that is signed in."""
    name = request.user.get_username()
    try:
        noted = brake.begin(brake.Attempt.of(name, brake_address(request), device_of(request, name)))
    except brake.BrakedError as error:
        raise OwnPasswordError(str(error)) from error
    if not request.user.check_password(password):
        raise OwnPasswordError(WRONG)
    brake.succeed(noted)
