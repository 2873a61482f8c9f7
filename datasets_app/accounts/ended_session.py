"""Answers a form that is sent after its writer's session has ended: with a sentence and with what was typed."""

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render

FORM = "application/x-www-form-urlencoded"
NOT_SHOWN = (
    "code",
    "csrfmiddlewaretoken",
    "key",
    "seen",
    "draft",
    "rubric",
    "version",
    "reviewer",
    "here",
    "active_s",
)
SECRET = ("password", "secret")  # parts of names


class EndedSessionMiddleware(LoginRequiredMiddleware):
    """Sends visitors who are not signed in to the sign-in page, as Django does, but loses no form on the way.

    Scripts and htmx get the redirect, by which they recognise an ended session, and keep what is typed themselves.
    """

    def process_view(
        self, request: HttpRequest, view_func: Any, view_args: Any, view_kwargs: Any
    ) -> HttpResponseBase | None:
        if not getattr(
            view_func, "login_required", True
        ):  # Django reads the session first, and so the database
            return None
        answer = super().process_view(request, view_func, view_args, view_kwargs)
        texts = typed(request) if answer and is_form_of_ended_session(request) else []
        if not texts:
            return answer
        return render(request, "signed_out.html", {"texts": texts, "back": page_before(request)}, status=401)


def is_form_of_ended_session(request: HttpRequest) -> bool:
    had_session = settings.SESSION_COOKIE_NAME in request.COOKIES
    by_script = "HX-Request" in request.headers or "application/json" in request.headers.get("Accept", "")
    return request.method == "POST" and request.content_type == FORM and had_session and not by_script


def typed(request: HttpRequest) -> list[tuple[str, str]]:
    """Return the form's non-empty fields that a person fills in, without secrets."""
    return [
        (name, text)
        for name, texts in request.POST.lists()
        if name not in NOT_SHOWN and not any(part in name for part in SECRET)
        for text in texts
        if isinstance(text, str) and text.strip()
    ]


def page_before(request: HttpRequest) -> str:
    """Return the address of the page with the form, on this site; empty if it is not known."""
    before = urlsplit(request.headers.get("Referer", ""))
    if before.netloc != request.get_host():
        return ""
    return before.path + (f"?{before.query}" if before.query else "")
