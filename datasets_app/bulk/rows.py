"""Inserts one row for each of many samples in one statement, in a tenth of the time of model instances.

The statements contain the names of our own tables and columns only; all values are parameters.
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

ALIKE_AT_ONCE = 300  # rows per statement: some builds of SQLite accept only 999 parameters


def insert_each(model: type[Model], ids: Sequence[UUID], same: dict[str, Any]) -> None:
    """Insert a row of `model` for each of these samples, with `same` (by column name) in the other columns.

    Rows that already exist by a constraint are left as they are; deleted samples get none.
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
    """Return the values that Django would set for creation times."""
    return {
        name: timezone.now()
        for name, field in columns(model).items()
        if getattr(field, "auto_now_add", False)
    }


def stored(model: type[Model], name: str, value: Any) -> Any:
    """Return the value in the database's form."""
    return columns(model)[name].get_db_prep_save(value, connection)


@cache
def columns(model: type[Model]) -> dict[str, Field[Any, Any]]:
    return {str(field.column): field for field in model._meta.concrete_fields}


def insert_alike(rows: Sequence[Model], own: Sequence[str]) -> None:
    """Insert rows that differ only in the columns `own`; those that already exist by a constraint are left out."""
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
