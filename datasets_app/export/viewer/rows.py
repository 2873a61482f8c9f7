"""A bounded page of a release's rows: by position, by the words of their texts, or by a filter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.db.models.functions import Substr

from datasets_app.export.columns import file_row
from datasets_app.export.rows import LOOKUPS, TEXTS, WITHOUT_TEXTS
from datasets_app.export.viewer import where
from datasets_app.models import Release, ReleaseRow, Sample, Split
from datasets_app.text_input.validate import storable_fault

MOST_ROWS = 100
LONGEST_CELL = 10_000  # characters of a text; the file has the whole
LONGEST_SEARCH = 200


class ViewerError(ValueError):
    """A page that cannot be shown; `field` names the parameter, the message says what to do."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True)
class ShownRow:
    index: int  # 0-based within the split
    cells: dict[str, Any]  # every column, long texts cut
    cut: list[str]  # the columns whose text was cut

    @property
    def sample_id(self) -> str:
        return str(self.cells["uuid"])


@dataclass(frozen=True)
class RowPage:
    split: str
    offset: int
    rows: list[ShownRow]
    total: int  # rows of the split that match


def first_position(release: Release, split: str) -> int:
    """Return the position of a split's first row. Raises ViewerError for a split without rows."""
    first = 0
    for name in Split.values:
        if name == split and release.split_counts.get(name):
            return first
        first += release.split_counts.get(name, 0)
    names = ", ".join(name for name, _ in release.splits) or "none yet"
    raise ViewerError("split", f"{release.name} has no split {split[:40]!r}; it has {names}.")


def page(
    release: Release,
    split: str,
    offset: int = 0,
    length: int = MOST_ROWS,
    *,
    query: str = "",
    filter: str = "",
    longest: int = LONGEST_CELL,
) -> RowPage:
    """Return at most `length` rows of a split, from `offset` of those that match, with texts of at most `longest`
    characters. Raises ViewerError."""
    first, length = first_position(release, split), min(length, MOST_ROWS)
    rows = release.rows.filter(split=split)
    if not (query or filter):  # positions follow each other, so that page 1000 costs as much as page 1
        window = rows.filter(position__gte=first + offset, position__lt=first + offset + length)
        return RowPage(
            split, offset, shown(window.order_by("position"), first, longest), release.split_counts[split]
        )
    matched = matching(rows, query, filter)
    found = matched.order_by("position")[offset : offset + length]
    return RowPage(split, offset, shown(found, first, longest), matched.count())


def ordered_page(
    release: Release, split: str, offset: int, length: int, filter: str, orderby: str
) -> RowPage:
    """Return a page of the rows that a filter lets through, in the order of a column. Raises ViewerError."""
    if not orderby:
        return page(release, split, offset, length, filter=filter)
    first = first_position(release, split)
    rows = matching(release.rows.filter(split=split), "", filter)
    try:
        found = rows.order_by(*where.order_by(orderby))[offset : offset + min(length, MOST_ROWS)]
    except where.WhereError as error:
        raise ViewerError("orderby", str(error)) from error
    return RowPage(split, offset, shown(found, first), rows.count())


def matching(rows: QuerySet[ReleaseRow], query: str, filter: str) -> QuerySet[ReleaseRow]:
    if query:
        if fault := storable_fault("The search", query, LONGEST_SEARCH):
            raise ViewerError("query", fault)
        rows = rows.filter(sample__in=Sample.objects.search(query).order_by().values("pk"))
    try:
        return rows.filter(where.parse(filter)) if filter else rows
    except where.WhereError as error:
        raise ViewerError("where", str(error)) from error


def one(release: Release, split: str, index: int) -> ShownRow | None:
    """Return one row of a split, or None beyond its end. Raises ViewerError."""
    return next(iter(page(release, split, index, 1).rows), None)


def shown(rows: QuerySet[ReleaseRow], first: int, longest: int = LONGEST_CELL) -> list[ShownRow]:
    """Return the rows in one query; of long texts the database sends the beginning only."""
    cut = {f"text_{name}": Substr(LOOKUPS[name], 1, longest + 1) for name in TEXTS}
    values = rows.values_list("position", "snapshot", *WITHOUT_TEXTS.values(), *cut.values())
    return [
        as_shown(position - first, file_values(snapshot, [*WITHOUT_TEXTS, *TEXTS], rest), longest)
        for position, snapshot, *rest in values
    ]


def file_values(snapshot: dict[str, Any], names: list[str], values: list[Any]) -> dict[str, Any]:
    return file_row({**snapshot, **dict(zip(names, values, strict=True))})


def as_shown(index: int, cells: dict[str, Any], longest: int) -> ShownRow:
    long = [name for name in TEXTS if len(cells[name] or "") > longest]
    return ShownRow(index, {**cells, **{name: cells[name][:longest] for name in long}}, long)
