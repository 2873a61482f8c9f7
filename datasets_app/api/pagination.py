from typing import Any

from rest_framework import pagination
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request

from datasets_app.text_input.numbers import whole_number

LARGEST_LIMIT = 1000


def limit_of(request: Request, usual: int) -> int:
    """Return `limit`. Invalid values are refused, so that 100 rows are not mistaken for all."""
    text = request.query_params.get("limit", str(usual))
    limit = whole_number(text, 1, LARGEST_LIMIT)
    if limit is None:
        raise ValidationError(
            {"limit": [f"limit is a whole number from 1 to {LARGEST_LIMIT}, not {text!r:.40}."]}
        )
    return limit


class CursorPagination(pagination.CursorPagination):
    """Keyset pagination with `limit` and `cursor`, so that page 1000 costs as much as page 1."""

    page_size = 100
    page_size_query_param = "limit"
    max_page_size = LARGEST_LIMIT
    ordering: Any = ("-created_at", "-id")

    def get_page_size(self, request: Request) -> int:
        return limit_of(request, self.page_size)

    def decode_cursor(self, request: Request) -> Any:
        try:
            return super().decode_cursor(request)
        except NotFound:
            raise ValidationError(
                {"cursor": ["This is not a position in the list; leave it out to start at the first page."]}
            ) from None

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        return [
            parameter("limit", LIMIT, "rows per page"),
            parameter("cursor", CURSOR, "position of the page, as in the URLs `next` and `previous`"),
        ]


LIMIT = {"type": "integer", "minimum": 1, "maximum": LARGEST_LIMIT, "default": CursorPagination.page_size}
CURSOR = {"type": "string"}


def parameter(name: str, schema: dict[str, Any], description: str) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": False, "schema": schema, "description": description}
