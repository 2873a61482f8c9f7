"""A sample as lists show it: one tuple of the columns that they need, which is read in a third of a model's time."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from datasets_app.browse.sorting import Cursor, Page, Sort, page_of
from datasets_app.querysets import SampleQuerySet


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


LOOKUPS = [
    {"task_name": "task__name", "task_kind": "task__kind", "source_name": "source__name"}.get(name, name)
    for name in ListRow._fields
]


def list_page(rows: SampleQuerySet, sort: Sort, cursor: Cursor | None, size: int) -> Page[ListRow]:
    """One page of these samples, with one query and without a body."""
    return page_of(rows.values_list(*LOOKUPS), sort, cursor, size, make=ListRow._make)
