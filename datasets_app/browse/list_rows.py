"""A sample as lists show it: one tuple of the columns that they need, which is read in a third of a model's time."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from datasets_app.browse.sets import Sets
from datasets_app.browse.sorting import Cursor, Page, Sort, page_from, page_of
from datasets_app.browse.walk import page_ids
from datasets_app.models import Sample, Source


class ListRow(NamedTuple):
    """Columns of other tables carry those tables' names."""

    pk: UUID
    task_id: UUID
    task_name: str
    task_kind: str
    source_name: str
    generator: str
    language: str
    turn: int
    has_trace: bool
    trace_tokens: int | None
    kernel_bytes: int
    claimed_speedup: float | None
    outcome: str
    measured_speedup: float | None
    device: str
    verdict: str
    created_at: datetime


# Sources are few and are read beside the rows: joined to them they tempt a planner to sort a million rows by source.
LOOKUPS = [
    {"task_name": "task__name", "task_kind": "task__kind", "source_name": "source_id"}.get(name, name)
    for name in ListRow._fields
]


def list_page(sets: Sets, sort: Sort, cursor: Cursor | None, size: int) -> Page[ListRow]:
    """One page of these samples, without a body. Two queries, or three and more for a filter that matches many."""
    ids = page_ids(sets, sort, cursor, size + 1) if sets.chosen else None
    if ids is None:
        page = page_of(sets.rows().values_list(*LOOKUPS), sort, cursor, size, make=ListRow._make)
    else:
        rows = Sample.objects.filter(pk__in=ids).order_by().values_list(*LOOKUPS)
        by_id = {row.pk: row for row in map(ListRow._make, rows)}
        page = page_from([by_id[pk] for pk in ids if pk in by_id], sort, cursor, size)
    names: dict[Any, str] = dict(Source.objects.values_list("pk", "name"))
    return replace(page, rows=[row._replace(source_name=names[row.source_name]) for row in page.rows])


def ids_beside(sets: Sets, sort: Sort, row: Any) -> tuple[UUID | None, UUID | None]:
    """The ids before and after this row in the list."""
    value = sort.value_of(row)
    return next_id(sets, sort, Cursor(value, row.pk, True)), next_id(sets, sort, Cursor(value, row.pk))


def next_id(sets: Sets, sort: Sort, cursor: Cursor) -> UUID | None:
    ids = page_ids(sets, sort, cursor, 1) if sets.chosen else None
    if ids is None:
        rows = sets.rows().filter(sort.beyond(cursor.value, cursor.pk, backwards=cursor.backwards))
        ids = list(sort.apply(rows, backwards=cursor.backwards).values_list("pk", flat=True)[:1])
    return next(iter(ids), None)
