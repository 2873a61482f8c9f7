"""Error responses of the API: problem+json with `detail`, a sentence, and with `errors`, sentences by field.

Views raise; the one handler here answers. `Problem` is the schema of every error answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest, JsonResponse
from rest_framework import serializers, status
from rest_framework.exceptions import APIException, NotAuthenticated, Throttled
from rest_framework.permissions import SAFE_METHODS
from rest_framework.views import exception_handler

from datasets_app.accounts.actor import API_ROOT
from datasets_app.accounts.problem import problem_response

FAULTY = "The request has errors{stored}. See: {fields}."
UNAUTHENTICATED = (
    "This needs a token, sent as Authorization: Bearer TOKEN. Create one on the account page, /account/. "
    "Public releases need none: /api/v1/releases/."
)
NO_MATCH = re.compile(r"No (\w+) matches the given query\.")  # what Django says of a missing row
NO_FIELD = "non_field_errors"


class ProblemSerializer(serializers.Serializer[Any]):
    """An error answer, as RFC 9457 describes it."""

    type = serializers.CharField(help_text="about:blank: the status says what kind of problem it is")
    title = serializers.CharField(help_text="the status in words")
    status = serializers.IntegerField(min_value=400, max_value=599)
    detail = serializers.CharField(help_text="what happened, and what to do")
    errors: Any = serializers.DictField(
        child=serializers.ListField(child=serializers.CharField()),
        required=False,
        help_text="sentences by the field of the request, whose path has dots: `anchors.0.start`",
    )
    id = serializers.CharField(required=False, help_text="of a fault of the site's own, which its log has")


class Conflict(APIException):
    """Nothing was stored, because of what is stored already. `more` are further members of the answer."""

    status_code = status.HTTP_409_CONFLICT

    def __init__(self, detail: object, **more: Any) -> None:
        super().__init__(str(detail))
        self.more = more


def is_api(request: HttpRequest) -> bool:
    return request.path.startswith(API_ROOT)


def handle(error: Exception, context: dict[str, Any]) -> JsonResponse | None:
    """Answer an exception of a view. Return None for a server error, which handler500 reports."""
    response = exception_handler(error, context)
    if response is None:
        return None
    headers = {name: value for name, value in response.headers.items() if name != "Content-Type"}
    reads = context["request"].method in SAFE_METHODS
    members = members_of(response.data, "" if reads else "; nothing was stored") | getattr(error, "more", {})
    detail = with_remedy(error, members.pop("detail"), headers.get("Retry-After", ""))
    return problem_response(response.status_code, detail, headers, **members)


def with_remedy(error: Exception, detail: str, wait: str) -> str:
    """Return what to do in place of a sentence of the framework's that does not say it; `wait` in seconds, if any."""
    if isinstance(error, NotAuthenticated) and detail == NotAuthenticated.default_detail:
        return UNAUTHENTICATED
    if isinstance(error, Throttled) and wait:
        return f"Too many requests. Send the next one in {wait} s, as the header Retry-After says."
    return NO_MATCH.sub(no_such, detail)


def no_such(match: re.Match[str]) -> str:
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", match[1]).lower()
    return f"There is no such {words}, or none that you may read."


def members_of(data: Any, stored: str = "") -> dict[str, Any]:
    """Return `detail`, and `errors` if any, of what Django REST framework says of an error."""
    if isinstance(data, list):
        return {"detail": joined(data)}
    errors = dict(by_path({name: value for name, value in data.items() if name != "detail"}))
    if "detail" in data:
        detail = joined(data["detail"])
    elif set(errors) == {NO_FIELD}:
        detail = joined(errors[NO_FIELD])
    else:
        detail = FAULTY.format(stored=stored, fields=", ".join(name[:80] for name in list(errors)[:20]))
    return {"detail": detail, "errors": errors} if errors else {"detail": detail}


def joined(sentences: Any) -> str:
    return " ".join(map(str, sentences)) if isinstance(sentences, list) else str(sentences)


def by_path(errors: Any, path: str = "") -> Iterator[tuple[str, list[str]]]:
    """Yield the sentences of nested errors by their path; a list of objects has their places in it."""
    if isinstance(errors, list) and any(isinstance(inner, dict | list) for inner in errors):
        errors = dict(enumerate(errors))
    if not isinstance(errors, dict):
        if sentences := [str(one) for one in (errors if isinstance(errors, list) else [errors])]:
            yield path, sentences
        return
    for name, inner in errors.items():
        yield from by_path(inner, f"{path}.{name}" if path else str(name))
