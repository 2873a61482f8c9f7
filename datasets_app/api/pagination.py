from typing import Any

from rest_framework import pagination
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request


class CursorPagination(pagination.CursorPagination):
    """Keyset pagination with `limit` and `cursor`, so that page 1000 costs as much as page 1."""

    page_size = 100
    page_size_query_param = "limit"
    page_size_query_description = "rows per page, up to 1000"
    cursor_query_description = "position of the page, as in the URLs `next` and `previous`"
    max_page_size = 1000
    ordering: Any = ("-created_at", "-id")

    def get_page_size(self, request: Request) -> int:
        """Return `limit`, at most 1000. Invalid values are refused, so that 100 rows are not mistaken for all."""
        text = request.query_params.get("limit", str(self.page_size))
        if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text)):
            raise ValidationError({"limit": [f"limit is a whole number from 1 to {self.max_page_size}."]})
        return min(int(text), self.max_page_size)
