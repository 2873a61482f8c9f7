"""Guards a page: its methods, and the scope that it needs."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed

from datasets_app.accounts.actor import API_ROOT, actor_of
from datasets_app.accounts.problem import problem_response
from datasets_app.accounts.roles import Scope

View = Callable[..., Any]
FORM_METHODS = ["get", "head", "post"]  # Django's form views would take PUT for POST


def methods(*names: str) -> Callable[[View], View]:
    """Answer 405 with an Allow header to every other method. GET includes HEAD."""
    allowed = [*names, "HEAD"] if "GET" in names else [*names]

    def decorate(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if request.method not in allowed:
                return not_allowed(request, allowed)
            answer: HttpResponse = view(request, *args, **kwargs)
            return answer

        return guarded

    return decorate


def require(scope: Scope, *names: str) -> Callable[[View], View]:
    """Guard a view: check its methods (GET if none are named), then `scope`; else answer 403 with an explanation.

    The middleware has already made sure that the visitor is signed in.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def asked(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            actor_of(request).require(scope)
            refuse_nul(request)
            return view(request, *args, **kwargs)

        return methods(*(names or ("GET",)))(asked)

    return decorate


def refuse_nul(request: HttpRequest) -> None:
    """Raise BadRequest for a NUL character in a form, which PostgreSQL cannot store."""
    if request.method == "POST":
        for name, texts in request.POST.lists():
            if any("\x00" in text for text in (name, *texts)):
                raise BadRequest(f"The field {name[:80]!r} holds a NUL character, which cannot be stored.")


def not_allowed(request: HttpRequest, allowed: list[str]) -> HttpResponse:
    sentence = f"This address accepts {' and '.join(allowed)}, not {str(request.method)[:20]}."
    if request.path.startswith(API_ROOT):
        return problem_response(405, sentence, {"Allow": ", ".join(allowed)})
    return HttpResponseNotAllowed(allowed, f"{sentence}\n", content_type="text/plain; charset=utf-8")
