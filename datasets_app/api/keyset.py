"""Keyset pagination of API lists, in any of a list's orders, with the same cursors as the pages."""

from collections.abc import Mapping
from typing import Any

from rest_framework.exceptions import ValidationError
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import remove_query_param, replace_query_param

from datasets_app.api.pagination import CURSOR, LIMIT, limit_of, parameter
from datasets_app.browse.list.list_rows import list_page
from datasets_app.browse.list.sorting import SAMPLE_SORTS, TASK_SORTS, Cursor, Page, Sort, page_of, sort_named
from datasets_app.browse.query.errors import BrowseError

USUAL_LIMIT = 100


class KeysetPagination(BasePagination):
    """`limit`, `cursor` and `sort`. A subclass names the orders; the first is the default."""

    sorts: Mapping[str, Sort]
    order_help = "with - before it, the order is descending"

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        self.url = request.build_absolute_uri()
        try:
            sort = sort_named(request.query_params.get("sort", ""), dict(self.sorts))
            text = request.query_params.get("cursor", "")
            cursor = Cursor.read(text, sort) if text else None
        except BrowseError as error:
            raise ValidationError(error.errors) from error
        self.page: Page = self.read(queryset, sort, cursor, limit_of(request, USUAL_LIMIT))
        return self.page.rows

    def read(self, rows: Any, sort: Sort, cursor: Cursor | None, limit: int) -> Page:
        return page_of(rows, sort, cursor, limit)

    def get_paginated_response(self, data: Any) -> Response:
        links = {"next": self.link(self.page.next), "previous": self.link(self.page.previous)}
        return Response({**links, "results": data})

    def link(self, cursor: str) -> str | None:
        if not cursor:
            return None
        return replace_query_param(remove_query_param(self.url, "cursor"), "cursor", cursor)

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        link = {"type": "string", "format": "uri", "nullable": True}
        return {
            "type": "object",
            "required": ["next", "previous", "results"],
            "properties": {"next": link, "previous": link, "results": schema},
        }

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        names = [text for name in self.sorts for text in (name, f"-{name}")]
        return [
            parameter("limit", LIMIT, "rows per page"),
            parameter("cursor", CURSOR, "position; take it from next or previous"),
            parameter("sort", {"type": "string", "enum": names}, self.order_help),
        ]


class SamplePagination(KeysetPagination):
    sorts = SAMPLE_SORTS
    order_help = (
        f"{KeysetPagination.order_help}; measured and ratio compare on the device of the filter, else on the reference "
        "device: samples with a number of another device come last, whatever it is"
    )

    def read(self, rows: Any, sort: Sort, cursor: Cursor | None, limit: int) -> Page:
        return list_page(rows, sort, cursor, limit)


class TaskPagination(KeysetPagination):
    sorts = TASK_SORTS
