"""Error responses of the API: JSON that always has `detail`, a sentence.

Errors of single fields are added as a list of sentences under each field's name.
"""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, JsonResponse
from rest_framework.views import exception_handler

from datasets_app.accounts.actor import API_ROOT

FAULTY = "The request has errors; nothing was stored. See: {fields}."


def is_api(request: HttpRequest) -> bool:
    return request.path.startswith(API_ROOT)


def error_response(status: int, detail: str, **more: Any) -> JsonResponse:
    return JsonResponse({"detail": detail, **more}, status=status)


def handle(error: Exception, context: dict[str, Any]) -> JsonResponse | None:
    """Add `detail` to Django REST framework's error response. Return None for a server error, which handler500
    reports.
    """
    response = exception_handler(error, context)
    if response is None:
        return None
    headers = {name: value for name, value in response.headers.items() if name != "Content-Type"}
    return JsonResponse(with_detail(response.data), status=response.status_code, headers=headers)


def with_detail(data: Any) -> dict[str, Any]:
    if isinstance(data, list):
        return {"detail": " ".join(str(message) for message in data)}
    if "detail" in data:
        detail = data["detail"]
        return {**data, "detail": " ".join(map(str, detail)) if isinstance(detail, list) else detail}
    if set(data) == {"non_field_errors"}:
        return {"detail": " ".join(map(str, data["non_field_errors"])), **data}
    return {"detail": FAULTY.format(fields=", ".join(str(name)[:80] for name in list(data)[:20])), **data}
