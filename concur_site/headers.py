"""Headers that every answer has: what a browser may keep of it, and what a page of the site may use.

An answer that says nothing about caching is stored nowhere. `no-store` and not `no-cache`: browsers show a page that
is only to be revalidated once more when one goes Back, also after signing out. What a reviewer has typed does not
depend on it: drafts are kept on the server and in the browser. Static files and downloads say their own.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

FEATURES = (
    "accelerometer",
    "autoplay",
    "bluetooth",
    "browsing-topics",
    "camera",
    "display-capture",
    "encrypted-media",
    "fullscreen",
    "geolocation",
    "gyroscope",
    "hid",
    "identity-credentials-get",
    "magnetometer",
    "microphone",
    "midi",
    "payment",
    "picture-in-picture",
    "publickey-credentials-get",
    "screen-wake-lock",
    "serial",
    "usb",
    "web-share",
    "xr-spatial-tracking",
)
HEADERS = {
    "Permissions-Policy": ", ".join(f"{feature}=()" for feature in FEATURES),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
UNSTORED = "private, no-store"


class HeadersMiddleware:
    """Stands first, so that static files and errors have them as well."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        response.headers.setdefault("Cache-Control", UNSTORED)
        return response
