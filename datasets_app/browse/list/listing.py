"""The state of the browse page in its URL: a filter, an order, a choice of columns and a position."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import QueryDict
from django.urls import reverse

from datasets_app.browse.list.columns import COLUMNS, USUAL, Column, columns_named
from datasets_app.browse.list.density import COMFORTABLE, density_named
from datasets_app.browse.list.list_rows import ListRow, ids_beside, list_page
from datasets_app.browse.list.sorting import SAMPLE_SORTS, Cursor, Page, Sort, sort_named
from datasets_app.browse.list.speed_order import devices_put_last
from datasets_app.browse.query.errors import BrowseError
from datasets_app.browse.query.filter import BrowseFilter
from datasets_app.browse.query.hidden_reviews import HiddenReviews
from datasets_app.browse.query.sets import Sets
from datasets_app.browse.query.typed import as_filters
from datasets_app.db.facet_index import read
from datasets_app.models import Sample
from datasets_app.paths import path_of

PAGE_SIZE = 50


@dataclass(frozen=True)
class Chip:
    """One part of the filter, with the URL of the list without it."""

    text: str
    without: str


@dataclass(frozen=True)
class Heading:
    column: Column
    url: str  # "" if the column cannot be sorted
    direction: str  # ascending, descending or ""


@dataclass(frozen=True)
class Listing:
    filter: BrowseFilter
    sort: Sort
    columns: tuple[Column, ...]
    cursor: Cursor | None = None
    density: str = COMFORTABLE
    view: str = ""  # the saved view that it was opened from, if any

    @classmethod
    def from_params(cls, params: QueryDict, hidden: HiddenReviews | None = None) -> Listing:
        """Parse the parameters. Raises BrowseError with all faults."""
        errors: dict[str, list[str]] = {}
        chosen = collect(errors, BrowseFilter.from_params, params, hidden)
        columns = collect(errors, columns_named, params.getlist("columns"))
        sort = collect(errors, sort_named, params.get("sort", ""), SAMPLE_SORTS)
        density = collect(errors, density_named, params.get("density", ""))
        text = params.get("cursor", "")
        cursor = collect(errors, Cursor.read, text, sort) if text and sort else None
        if errors:
            raise BrowseError(errors)
        view = params.get("view", "")
        return cls(chosen, sort, columns, cursor, density, view if view.isdecimal() else "")

    @cached_property
    def sets(self) -> Sets:
        """The samples at one moment, from which both the page's rows and its counts are read."""
        return Sets(self.filter, read())

    def page(self) -> Page[ListRow]:
        return list_page(self.sets, self.sort, self.cursor, PAGE_SIZE)

    def neighbours(self, sample: Sample) -> tuple[UUID | None, UUID | None]:
        return ids_beside(self.sets, self.sort, sample)

    @property
    def as_filters(self) -> Listing | None:
        """Return the list whose filter has the searched words that look like filters as such; None: none do."""
        if not re.search(r'"-?[A-Za-z_]+:', self.filter.text):
            return None
        found = as_filters(self.filter.typed())
        return self.with_filter(found) if found else None

    @cached_property
    def put_last(self) -> list[tuple[str, str]]:
        """Return the devices whose samples this order puts last, each with the URL of the same list on that device."""
        return [
            (name, self.with_filter(self.filter.having("device", name)).url())
            for name in devices_put_last(self.sort, self.sets)
        ]

    @property
    def bounds_speed(self) -> bool:
        """Return whether the filter has a bound on speed, which compares the number that each row shows."""
        return any(field.group in ("speedup", "ratio") for field, _ in self.filter)

    # --- URLs ---

    @property
    def view_params(self) -> list[tuple[str, str]]:
        """Order and columns, if they are not the default ones."""
        params = []
        if self.sort != next(iter(SAMPLE_SORTS.values())):
            params.append(("sort", self.sort.text))
        if [column.name for column in self.columns] != list(USUAL):
            params.append(("columns", ",".join(column.name for column in self.columns)))
        if self.density != COMFORTABLE:
            params.append(("density", self.density))
        return params

    @property
    def view_param(self) -> list[tuple[str, str]]:
        return [("view", self.view)] if self.view else []

    @property
    def querystring(self) -> str:
        """The list's parameters without its position: the content of a saved view."""
        return "&".join(part for part in (self.filter.querystring(), urlencode(self.view_params)) if part)

    @property
    def api_query(self) -> str:
        """The parameters of /api/v1/samples/ for the same rows in the same order."""
        usual = self.sort == next(iter(SAMPLE_SORTS.values()))
        sort = "" if usual else urlencode({"sort": self.sort.text})
        return "&".join(part for part in (self.filter.querystring(), sort) if part)

    @property
    def json_query(self) -> str:
        """The parameters of /browse.json for the same page of rows."""
        return "&".join(part for part in (self.api_query, self.cursor_param) if part)

    @property
    def cursor_param(self) -> str:
        return urlencode({"cursor": self.cursor.text()}) if self.cursor else ""

    def url(self, cursor: str = "") -> str:
        """Return the list's URL; ?view=all if it has no parameters, because a bare URL opens the default view."""
        beside = [*self.view_param, *([("cursor", cursor)] if cursor else [])]
        return self.address("&".join(part for part in (self.querystring, urlencode(beside)) if part))

    @staticmethod
    def address(query: str) -> str:
        return f"{path_of('browse')}?{query or 'view=all'}"

    def with_filter(self, chosen: BrowseFilter) -> Listing:
        return replace(self, filter=chosen, cursor=None)

    def sample_url(self, pk: UUID) -> str:
        """Return the URL of the sample's page, with the parameters of this list."""
        return f"{reverse('sample', args=[pk])}?{self.as_origin}"

    def sample_urls(self, rows: list[ListRow]) -> list[str]:
        """Return sample_url() of each row of a page; the URL pattern is resolved once."""
        if not rows:
            return []
        before, after = self.sample_url(rows[0].pk).split(str(rows[0].pk), 1)
        return [f"{before}{row.pk}{after}" for row in rows]

    @cached_property
    def as_origin(self) -> str:
        return urlencode({"in": self.querystring}) if self.querystring else "in="

    def chips(self) -> list[Chip]:
        return [
            Chip(field.chip(value), self.with_filter(self.filter.lacking(field.name, value)).url())
            for field, values in self.filter
            for value in values
        ]

    def headings(self, columns: Iterable[Column]) -> list[Heading]:
        return [self.heading(column) for column in columns]

    def heading(self, column: Column) -> Heading:
        if not column.sort:
            return Heading(column, "", "")
        sort = SAMPLE_SORTS[column.sort]
        here = self.sort.name == sort.name
        target = self.sort.reversed() if here else sort
        direction = "" if not here else "descending" if self.sort.descending else "ascending"
        return Heading(column, replace(self, sort=target, cursor=None).url(), direction)

    def column_choices(self) -> list[tuple[Column, bool]]:
        shown = set(self.columns)
        return [(column, column in shown) for column in COLUMNS.values()]


def collect(errors: dict[str, list[str]], read: Any, *args: Any) -> Any:
    try:
        return read(*args)
    except BrowseError as error:
        errors.update(error.errors)
        return None
