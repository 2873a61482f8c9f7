"""With CONCUR_REQUIRE_TOTP, sends administrators without a second factor to the page that turns it on."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from datasets_app.accounts import second_factor
from datasets_app.accounts.problem import problem_response

OPEN_VIEWS = {
    "second-factor",
    "second-factor-on",
    "password_change",
    "login",
    "login-code",
    "logout",
    "health",
    "health-live",
    "health-ready",
}
SENTENCE = "Administrators of this site sign in with a second step: turn it on first."


class SecondFactorMiddleware:
    """Applies to sessions only: programs that use a token are not affected."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> HttpResponse | None:
        match = request.resolver_match
        if not settings.REQUIRE_TOTP or (match is not None and str(match.url_name) in OPEN_VIEWS):
            return None
        if not second_factor.must_enrol(request.user):
            return None
        if request.path.startswith("/api/"):
            return problem_response(403, SENTENCE)
        messages.warning(request, SENTENCE)
        return redirect("second-factor")
