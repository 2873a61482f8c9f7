"""Response headers: what a browser may store, and which features a page may use.

A response without caching headers of its own is not stored. The header is `no-store` rather than `no-cache`, since
browsers show a page that only needs revalidation again on Back, even after signing out. A reviewer's input does not
depend on it: drafts are kept on the server and in the browser. Static files and downloads set their own headers.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

FEATURES = (
    "accelerometer",
    "autoplay",
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
    """The outermost middleware, so that static files and errors have the headers as well."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        response.headers.setdefault("Cache-Control", UNSTORED)
        return response
