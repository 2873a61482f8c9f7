"""Gives every request an id, which its log lines, its answer and an error page name."""

import secrets
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from datasets_app.accounts.addresses import is_trusted, parsed
from datasets_app.log_context import context

HEADER = "X-Request-ID"


class RequestIdMiddleware:
    """Takes the id of a proxy that CONCUR_TRUSTED_PROXIES names, so that its log and the site's can be joined; makes
    one otherwise.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        identifier = given(request) or secrets.token_hex(8)
        with context.in_request(identifier):
            response = self.get_response(request)
        response.headers[HEADER] = identifier
        return response


def given(request: HttpRequest) -> str:
    """Return the id that a trusted proxy sent; empty for anybody else's, and for one that is no id."""
    text = request.headers.get(HEADER, "")
    if not settings.TRUSTED_PROXIES or not context.REQUEST_ID.fullmatch(text):
        return ""
    peer = parsed(request.META.get("REMOTE_ADDR", ""))
    return text if peer is not None and is_trusted(peer) else ""
