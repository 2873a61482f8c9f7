"""What the API's answers to a read save on the way: a validator, so that nothing is sent twice, and gzip."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase
from django.http.response import HttpResponse
from django.middleware.gzip import GZipMiddleware
from django.middleware.http import ConditionalGetMiddleware

from datasets_app.accounts.rates import PERMIT

API = "/api/v1/"


class ApiAnswersMiddleware:
    """Gives whole answers below /api/v1/ an ETag and answers 304 to the one that a client has; compresses them for
    clients that take gzip. Files and streams are left alone: they have validators and ranges of their own. Every answer
    to a token says how many requests are left to it, as the process counts that answers.

    A program may keep what it got by its token if it asks again before it uses it; browsers keep nothing.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        self.conditional = ConditionalGetMiddleware(get_response)
        self.gzip = GZipMiddleware(get_response)

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if permit := getattr(request, PERMIT, None):
            response.headers["RateLimit-Limit"] = str(permit.limit)
            response.headers["RateLimit-Remaining"] = str(permit.left)
            response.headers["RateLimit-Reset"] = str(permit.reset_s)
        if not request.path.startswith(API) or not isinstance(response, HttpResponse):
            return response
        if request.headers.get("Authorization"):
            response.headers.setdefault("Cache-Control", "private, no-cache")
        return self.gzip.process_response(request, self.conditional.process_response(request, response))
