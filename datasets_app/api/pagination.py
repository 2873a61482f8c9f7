from typing import Any

from rest_framework import pagination
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request


class CursorPagination(pagination.CursorPagination):
    """`limit` and `cursor`; a position, not an offset, so that page 1000 costs what page 1 costs."""

    page_size = 100
    page_size_query_param = "limit"
    page_size_query_description = "rows a page, up to 1000"
    cursor_query_description = "where the page begins: the addresses in `next` and `previous` carry it"
    max_page_size = 1000
    ordering: Any = ("-created_at", "-id")

    def get_page_size(self, request: Request) -> int:
        """`limit`, at most 1000. A word or a zero is refused, so that nobody takes 100 rows for all of them."""
        text = request.query_params.get("limit", str(self.page_size))
        if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text)):
            raise ValidationError({"limit": [f"limit is a whole number from 1 to {self.max_page_size}."]})
        return min(int(text), self.max_page_size)
