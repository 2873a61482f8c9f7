"""A row for each of many samples in one statement: a tenth of the work of as many model instances.

What stands in the statements are the names of our own tables and columns; all values are parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Field, Model
from django.utils import timezone

from datasets_app.models import Sample

ALIKE_AT_ONCE = 300  # rows a statement: SQLite may be built to take no more than 999 parameters


def insert_each(model: type[Model], ids: Sequence[UUID], same: dict[str, Any]) -> None:
    """A row of `model` for each of these samples, with `same` (by the fields' column names) in the other columns.

    Rows that a constraint says are there already stay as they are; a sample that was deleted meanwhile gets none.
    """
    if not ids:
        return
    same = moments(model) | same
    names = ", ".join(connection.ops.quote_name(name) for name in ("sample_id", *same))
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {model._meta.db_table} ({names}) SELECT id{', %s' * len(same)} FROM datasets_app_sample "  # noqa: S608
            f"WHERE id IN (%s{', %s' * (len(ids) - 1)}) ON CONFLICT DO NOTHING",
            [
                *(stored(model, name, value) for name, value in same.items()),
                *(stored(Sample, "id", pk) for pk in ids),
            ],
        )


def moments(model: type[Model]) -> dict[str, Any]:
    """What Django would put into the columns that say when a row was made."""
    return {
        name: timezone.now()
        for name, field in columns(model).items()
        if getattr(field, "auto_now_add", False)
    }


def stored(model: type[Model], name: str, value: Any) -> Any:
    """As the database has it."""
    return columns(model)[name].get_db_prep_save(value, connection)


@cache
def columns(model: type[Model]) -> dict[str, Field[Any, Any]]:
    return {str(field.column): field for field in model._meta.concrete_fields}


def insert_alike(rows: Sequence[Model], own: Sequence[str]) -> None:
    """Store rows that differ in the columns `own` alone; one that a constraint says is there already is left out."""
    for start in range(0, len(rows), ALIKE_AT_ONCE):
        insert_part(rows[start : start + ALIKE_AT_ONCE], own)


def insert_part(rows: Sequence[Model], own: Sequence[str]) -> None:
    first, fields = rows[0], columns(type(rows[0]))
    same = {name: field.pre_save(first, add=True) for name, field in fields.items() if name not in own}
    for row in rows:
        row._state.adding = False
        row.__dict__ |= {fields[name].attname: value for name, value in same.items()}
    names = ", ".join(connection.ops.quote_name(name) for name in (*own, *same))
    places = f"({', '.join(['%s'] * len(own))})"
    theirs = ", ".join(f"column{number}" for number in range(1, len(own) + 1))
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {first._meta.db_table} ({names}) SELECT {theirs}{', %s' * len(same)} "  # noqa: S608
            f"FROM (VALUES {', '.join([places] * len(rows))}) AS given WHERE true ON CONFLICT DO NOTHING",
            [
                *(stored(type(first), name, value) for name, value in same.items()),
                *(
                    stored(type(first), name, getattr(row, fields[name].attname))
                    for row in rows
                    for name in own
                ),
            ],
        )
