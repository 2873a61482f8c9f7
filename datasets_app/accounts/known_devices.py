"""Known devices: browsers that have signed in before, by a signed cookie per account.

The cookie grants no access. It only gives the browser a failure count of its own, unaffected by what others do to the
name.
"""

import hashlib
import secrets

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse

LASTS_SECONDS = 180 * 24 * 3600
SALT = "datasets_app.known_device"


def cookie_name(name: str) -> str:
    return "known-device-" + hashlib.sha256(name.lower().encode()).hexdigest()[:12]


def device_of(request: HttpRequest, name: str) -> str:
    """Return the device's number if this browser has signed in as `name` before, else ''."""
    try:
        stored_name, device = signing.loads(
            request.COOKIES.get(cookie_name(name), ""), salt=SALT, max_age=LASTS_SECONDS
        )
    except (signing.BadSignature, ValueError, TypeError):
        return ""
    return str(device) if stored_name == name.lower() else ""


def remember(request: HttpRequest, response: HttpResponse, name: str) -> None:
    """Make this browser a known device of `name`, or extend its time."""
    device = device_of(request, name) or secrets.token_hex(16)
    response.set_cookie(
        cookie_name(name),
        signing.dumps([name.lower(), device], salt=SALT),
        max_age=LASTS_SECONDS,
        path="/accounts/",
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
