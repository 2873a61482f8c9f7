"""Samples as tuples of the columns that lists need, which are read in a third of a model's time."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from datasets_app.browse.list.in_order import ids_in_order
from datasets_app.browse.list.sorting import Cursor, Page, Sort, page_from
from datasets_app.browse.list.speed_order import SpeedSort, ids_ranked_first, on_one_device
from datasets_app.browse.list.walk import ids_on_a_walk
from datasets_app.browse.query.sets import Sets
from datasets_app.db.uuids import among
from datasets_app.models import Evidence, Sample


class ListRow(NamedTuple):
    """A sample's row in a list. Columns of other tables are prefixed with those tables' names."""

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
    claim_ratio: float | None
    device: str
    verdict: str
    created_at: datetime


# Sources are few and read separately: a join makes planners sort a million rows by source.
LOOKUPS = [
    {"task_name": "task__name", "task_kind": "task__kind", "source_name": "source_id"}.get(name, name)
    for name in ListRow._fields
]


def list_page(sets: Sets, sort: Sort, cursor: Cursor | None, size: int) -> Page[ListRow]:
    """Return one page of these samples, without bodies: its ids, then its rows, then the names of sources."""
    sort = on_one_device(sort, sets)
    ids = page_ids(sets, sort, cursor, size + 1)
    rows = Sample.objects.filter(pk__in=among(ids)).order_by().values_list(*LOOKUPS)
    by_id = {row.pk: row for row in map(ListRow._make, rows)}
    named = {pk: row._replace(source_name=sets.sources[str(row.source_name)]) for pk, row in by_id.items()}
    if device := sets.chosen.elsewhere:
        named = on_device(named, device)
    return page_from([named[pk] for pk in ids if pk in named], sort, cursor, size)


def on_device(rows: dict[UUID, ListRow], device: str) -> dict[UUID, ListRow]:
    """Return the rows with their evidence on this device in place of the headline."""
    evidence = Evidence.objects.on(device).filter(sample__in=rows).with_claim_ratio()
    columns = ("sample", "outcome", "speedup", "claim_ratio")
    there = {
        pk: rows[pk]._replace(outcome=outcome, measured_speedup=speedup, claim_ratio=ratio, device=device)
        for pk, outcome, speedup, ratio in evidence.values_list(*columns)
    }
    return {**rows, **there}


def page_ids(sets: Sets, sort: Sort, cursor: Cursor | None, wanted: int) -> list[UUID]:
    """Return the first `wanted` ids from the cursor on, in its direction."""
    if isinstance(sort, SpeedSort):
        return ids_by_speed(sets, sort, cursor, wanted)
    ids = None
    if sets.chosen:
        ids = ids_in_order(sets, sort, cursor, wanted)
        if ids is None:
            ids = ids_on_a_walk(sets, sort, cursor, wanted)
    return ids_by_database(sets, sort, cursor, wanted) if ids is None else ids


def ids_by_speed(sets: Sets, sort: SpeedSort, cursor: Cursor | None, wanted: int) -> list[UUID]:
    if sort.beside_headlines:
        return ids_by_database(sets, sort, cursor, wanted)
    ids = ids_in_order(sets, sort, cursor, wanted) if sets.chosen else None
    return ids_ranked_first(sets.rows(), sort, cursor, wanted) if ids is None else ids


def ids_by_database(sets: Sets, sort: Sort, cursor: Cursor | None, wanted: int) -> list[UUID]:
    """Return ids sorted by the database. It joins no table that the order does not need: planners may start from it and
    sort.
    """
    rows, backwards = sort.prepared(sets.rows()), cursor is not None and cursor.backwards
    if cursor is not None:
        rows = rows.filter(sort.beyond(cursor.value, cursor.pk, backwards=backwards))
    return list(sort.apply(rows, backwards=backwards).values_list("pk", flat=True)[:wanted])


def ids_beside(sets: Sets, sort: Sort, row: Any) -> tuple[UUID | None, UUID | None]:
    """Return the ids before and after this row in the list."""
    sort = on_one_device(sort, sets)
    value = sort.value_of(row)
    if isinstance(sort, SpeedSort) and sort.beside_headlines:
        on = Evidence.objects.on(sort.device).filter(sample=row.pk).with_claim_ratio()
        value = on.values_list(sort.of_evidence, flat=True).first()
    return next_id(sets, sort, Cursor(value, row.pk, True)), next_id(sets, sort, Cursor(value, row.pk))


def next_id(sets: Sets, sort: Sort, cursor: Cursor) -> UUID | None:
    return next(iter(page_ids(sets, sort, cursor, 1)), None)
