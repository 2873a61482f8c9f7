"""Refuses URLs that no database can look up."""

from collections.abc import Callable

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse


class RefuseNul:
    """Answers 400 to a NUL character in a path or a parameter, which PostgreSQL does not accept even in comparisons."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if "\x00" in request.path:
            raise BadRequest("The address contains a NUL character.")
        if "%00" in request.META.get("QUERY_STRING", ""):
            name = next((name for name, texts in request.GET.lists() if "\x00" in name + "".join(texts)), "")
            raise BadRequest(f"The parameter {name[:80]!r} contains a NUL character.")
        return self.get_response(request)
