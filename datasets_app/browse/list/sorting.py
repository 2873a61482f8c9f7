"""Orders of a list, with keyset pagination: page 1000 costs as much as page 1, and inserted rows shift nothing.

A page ends at a row; the next one starts after that row's (value, id). Rows without a value come last in either
direction, on every database.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar
from uuid import UUID

from django.db.models import F, Q, QuerySet

from datasets_app.browse.query.errors import BrowseError
from datasets_app.db.facet_index import Reading, Selection
from datasets_app.text_input.storable import UNSTORABLE

Row = TypeVar("Row")


@dataclass(frozen=True)
class Sort:
    """One order. `field` is a lookup path; ids break ties. `facet`: the numeric facet that orders samples as the field
    does.
    """

    name: str
    label: str
    field: str
    descending: bool
    nullable: bool = False
    facet: str = ""

    @property
    def text(self) -> str:
        """Return the order as written in the URL."""
        return f"-{self.name}" if self.descending else self.name

    def reversed(self) -> Sort:
        return replace(self, descending=not self.descending)

    def prepared(self, rows: Any) -> Any:
        """Return the rows with what the order compares."""
        return rows

    def comparable(self, reading: Reading, samples: Selection) -> Selection:
        """Return those of the samples whose amounts the order compares; it puts the others last."""
        return samples

    def apply(self, rows: QuerySet[Any], *, backwards: bool = False) -> QuerySet[Any]:
        descending = self.descending != backwards
        nulls = {"nulls_first": True} if backwards else {"nulls_last": True}
        value = F(self.field)
        order = value.desc(**nulls) if descending else value.asc(**nulls)
        if not self.nullable:
            order = value.desc() if descending else value.asc()
        return rows.order_by(order, "-id" if descending else "id")

    def value_of(self, row: Any) -> Any:
        """Return the row's value, of a model instance, or of a list row whose columns are named like task_name."""
        if isinstance(row, tuple):
            return getattr(row, self.field.replace("__", "_"))
        value: Any = row
        for part in self.field.split("__"):
            value = getattr(value, part)
        return value

    def beyond(self, value: Any, pk: UUID, *, backwards: bool = False) -> Q:
        """Return the condition for rows after (value, pk), forwards or backwards in this order."""
        step = "lt" if self.descending != backwards else "gt"
        ties = Q(**{f"id__{step}": pk})
        if value is None:
            here = Q(**{f"{self.field}__isnull": True}) & ties
            return here | Q(**{f"{self.field}__isnull": False}) if backwards else here
        # The inner conditions imply the outer one, which an index can start from.
        past = Q(**{f"{self.field}__{step}e": value}) & (Q(**{f"{self.field}__{step}": value}) | ties)
        return past | Q(**{f"{self.field}__isnull": True}) if self.nullable and not backwards else past


@dataclass(frozen=True)
class Cursor:
    """A position: after (or before) the row with this value and id. Its text is opaque to clients."""

    value: Any
    pk: UUID
    backwards: bool = False

    def text(self) -> str:
        value = self.value.isoformat() if isinstance(self.value, datetime) else self.value
        packed = json.dumps([int(self.backwards), value, self.pk.hex], separators=(",", ":"))
        return base64.urlsafe_b64encode(packed.encode()).decode().rstrip("=")

    @classmethod
    def read(cls, text: str, sort: Sort) -> Cursor:
        """Parse a cursor. Raises BrowseError for a text that is not a cursor of this order."""
        try:
            packed = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
            backwards, value, pk = json.loads(packed)
            return cls(checked_value(value, sort), UUID(pk), bool(backwards))
        except (binascii.Error, ValueError, TypeError, AttributeError, OverflowError, RecursionError):
            raise BrowseError(
                {
                    "cursor": [
                        "cursor is not a position in this order; leave it out to start at the first page."
                    ]
                }
            ) from None


def checked_value(value: Any, sort: Sort) -> Any:
    """Return the value in its field's type. Raises ValueError, TypeError or OverflowError for one that no row has."""
    if value is None and sort.nullable:
        return None
    if sort.field == "created_at":
        return moment_of(value)
    wanted: tuple[type, ...] = (str,) if sort.field.endswith("name") else (int, float)
    if not isinstance(value, wanted) or isinstance(value, bool):
        raise TypeError(value)
    if not may_be_stored(value):
        raise ValueError(value)
    return value


def may_be_stored(value: Any) -> bool:
    return not UNSTORABLE.search(value) if isinstance(value, str) else math.isfinite(value)


def moment_of(text: str) -> datetime:
    """Parse a time. Raises ValueError if it has no zone, OverflowError if it does not exist in UTC."""
    at = datetime.fromisoformat(text)
    if at.tzinfo is None:
        raise ValueError(text)
    return at.astimezone(UTC)


@dataclass(frozen=True)
class Page(Generic[Row]):
    rows: list[Row]
    next: str  # the cursor's text; "" if there is no such page
    previous: str


def page_of(rows: QuerySet[Any], sort: Sort, cursor: Cursor | None, size: int) -> Page[Any]:
    """Return one page with one query, which reads one row more to detect a following page."""
    backwards = cursor is not None and cursor.backwards
    if cursor is not None:
        rows = rows.filter(sort.beyond(cursor.value, cursor.pk, backwards=backwards))
    return page_from(list(sort.apply(rows, backwards=backwards)[: size + 1]), sort, cursor, size)


def page_from(rows: list[Row], sort: Sort, cursor: Cursor | None, size: int) -> Page[Row]:
    """Return the page of these rows: those from the cursor on, in its direction, plus one if there are more."""
    backwards = cursor is not None and cursor.backwards
    more, rows = len(rows) > size, rows[:size]
    if backwards:
        rows.reverse()
    has_next = bool(rows) and (backwards or more)
    has_previous = bool(rows) and (more if backwards else cursor is not None)
    return Page(
        rows,
        next=position(sort, rows[-1]) if has_next else "",
        previous=position(sort, rows[0], backwards=True) if has_previous else "",
    )


def position(sort: Sort, row: Any, *, backwards: bool = False) -> str:
    return Cursor(sort.value_of(row), row.pk, backwards).text()


SAMPLE_SORTS = {
    sort.name: sort
    for sort in (
        Sort("created", "added", "created_at", True, facet="created"),
        Sort("task", "task", "task__name", False),
        Sort("tokens", "trace length", "trace_tokens", False, nullable=True, facet="tokens"),
        Sort("claimed", "claimed speedup", "claimed_speedup", True, nullable=True, facet="claimed"),
        Sort("measured", "measured speedup", "measured_speedup", True, nullable=True, facet="speedup"),
        Sort("ratio", "measured over claimed speedup", "claim_ratio", False, nullable=True, facet="ratio"),
    )
}


TASK_SORTS = {
    sort.name: sort
    for sort in (
        Sort("name", "name", "name", descending=False),
        Sort("created", "added", "created_at", descending=True),
    )
}


def sort_named(text: str, sorts: dict[str, Sort]) -> Sort:
    """Return the named order, reversed or not; `-` means descending. The default is the first of `sorts`. Raises
    BrowseError.
    """
    if not text:
        return next(iter(sorts.values()))
    sort = sorts.get(text.removeprefix("-"))
    if sort is None:
        names = ", ".join(name for name in sorts)
        raise BrowseError(
            {
                "sort": [
                    f"sort has no order {text!r:.60}; choose from {names}, with - before it for the reverse order."
                ]
            }
        )
    return sort if sort.descending == text.startswith("-") else sort.reversed()
