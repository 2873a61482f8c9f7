from rest_framework import pagination


class CursorPagination(pagination.CursorPagination):
    """`limit` and `cursor`; a position, not an offset, so that page 1000 costs what page 1 costs."""

    page_size = 100
    page_size_query_param = "limit"
    max_page_size = 1000
    ordering = ("-created_at", "-id")
