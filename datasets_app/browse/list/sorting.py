"""Orders of a list, and pages of them by position: page 1000 costs what page 1 costs, and nothing shifts.

A page ends at a row; the next one starts after that row's (value, id). Rows without a value come last in
either direction, on every database.
"""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar
from uuid import UUID

from django.db.models import F, Q, QuerySet

from datasets_app.browse.query.errors import BrowseError
from datasets_app.db.facet_index import Reading, Selection

Row = TypeVar("Row")


@dataclass(frozen=True)
class Sort:
    """One order. `field` is a lookup path; ids break ties. `amount`: the bits that order samples as the field does."""

    name: str
    label: str
    field: str
    descending: bool
    nullable: bool = False
    amount: str = ""

    @property
    def text(self) -> str:
        """As it stands in the URL."""
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
        """Of a model's row, or of a list row that names the columns of other tables with them: task_name."""
        if isinstance(row, tuple):
            return getattr(row, self.field.replace("__", "_"))
        value: Any = row
        for part in self.field.split("__"):
            value = getattr(value, part)
        return value

    def beyond(self, value: Any, pk: UUID, *, backwards: bool = False) -> Q:
        """Rows on the far side of (value, pk), going forwards or backwards in this order."""
        step = "lt" if self.descending != backwards else "gt"
        ties = Q(**{f"id__{step}": pk})
        if value is None:
            here = Q(**{f"{self.field}__isnull": True}) & ties
            return here | Q(**{f"{self.field}__isnull": False}) if backwards else here
        # The outer bound is implied by the inner ones; it is what an index can start from.
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
        """Raises BrowseError for a text that no page of this order gave out."""
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
    """The value as its field holds it. Raises ValueError or TypeError for any other."""
    if value is None and sort.nullable:
        return None
    if sort.field == "created_at":
        return moment_of(value)
    wanted: tuple[type, ...] = (str,) if sort.field.endswith("name") else (int, float)
    if not isinstance(value, wanted) or isinstance(value, bool) or "\x00" in str(value):
        raise TypeError(value)
    return value


def moment_of(text: str) -> datetime:
    """Raises ValueError for a time without a zone, OverflowError for one that UTC does not have."""
    at = datetime.fromisoformat(text)
    if at.tzinfo is None:
        raise ValueError(text)
    return at.astimezone(UTC)


@dataclass(frozen=True)
class Page(Generic[Row]):
    rows: list[Row]
    next: str  # the cursor's text; "" where there is no such page
    previous: str


def page_of(rows: QuerySet[Any], sort: Sort, cursor: Cursor | None, size: int) -> Page[Any]:
    """One page, with one query: a row more than asked tells whether there is another."""
    backwards = cursor is not None and cursor.backwards
    if cursor is not None:
        rows = rows.filter(sort.beyond(cursor.value, cursor.pk, backwards=backwards))
    return page_from(list(sort.apply(rows, backwards=backwards)[: size + 1]), sort, cursor, size)


def page_from(found: list[Row], sort: Sort, cursor: Cursor | None, size: int) -> Page[Row]:
    """The page of these rows: those from the cursor on, in its direction, and one more where there is one."""
    backwards = cursor is not None and cursor.backwards
    more, found = len(found) > size, found[:size]
    if backwards:
        found.reverse()
    has_next = bool(found) and (backwards or more)
    has_previous = bool(found) and (more if backwards else cursor is not None)
    return Page(
        found,
        next=position(sort, found[-1]) if has_next else "",
        previous=position(sort, found[0], backwards=True) if has_previous else "",
    )


def position(sort: Sort, row: Any, *, backwards: bool = False) -> str:
    return Cursor(sort.value_of(row), row.pk, backwards).text()


SAMPLE_SORTS = {
    sort.name: sort
    for sort in (
        Sort("created", "added", "created_at", True, amount="created"),
        Sort("task", "task", "task__name", False),
        Sort("tokens", "trace length", "trace_tokens", False, nullable=True, amount="tokens"),
        Sort("claimed", "claimed speedup", "claimed_speedup", True, nullable=True, amount="claimed"),
        Sort("measured", "measured speedup", "measured_speedup", True, nullable=True, amount="speedup"),
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
    """`tokens` ascends, `-tokens` descends; the first of `sorts` when nothing is named. Raises BrowseError."""
    if not text:
        return next(iter(sorts.values()))
    found = sorts.get(text.removeprefix("-"))
    if found is None:
        names = ", ".join(name for name in sorts)
        raise BrowseError(
            {
                "sort": [
                    f"sort does not know {text!r:.60}; choose from {names}, with - before it to turn it round."
                ]
            }
        )
    return found if found.descending == text.startswith("-") else found.reversed()
