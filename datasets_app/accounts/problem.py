"""Error responses of the API: problem+json (RFC 9457), which every layer of the site answers with.

`detail` is a sentence that says what to do, `errors` has sentences by the field of the request that they are about.
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.http import JsonResponse

MEDIA_TYPE = "application/problem+json"


def problem(status: int, detail: str, **more: Any) -> dict[str, Any]:
    """Return the members of a problem. The type is the status itself, so that `type` is RFC 9457's default."""
    return {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": int(status),
        "detail": detail,
        **more,
    }


def problem_response(
    status: int, detail: str, headers: Mapping[str, str] | None = None, **more: Any
) -> JsonResponse:
    content = problem(status, detail, **more)
    return JsonResponse(content, status=status, content_type=MEDIA_TYPE, headers=dict(headers or {}))
