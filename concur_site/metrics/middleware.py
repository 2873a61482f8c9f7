"""Counts the answer of every request by the name of its route, never by its address."""

import time
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from datasets_app.counters import instruments


class PageSecondsMiddleware:
    """The outermost middleware, so that the time of all others counts. A streamed answer counts until it begins."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        started = time.perf_counter()
        response = self.get_response(request)
        instruments.page(route_of(request), response.status_code, time.perf_counter() - started)
        return response


def route_of(request: HttpRequest) -> str:
    """Return the name of the route, `static` for a static file, or `none` for an address that leads nowhere."""
    if match := request.resolver_match:
        return match.view_name
    return "static" if request.path.startswith(settings.STATIC_URL) else "none"
