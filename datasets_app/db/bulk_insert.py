"""Inserts many rows without creating model instances: by COPY on PostgreSQL, by multi-row INSERTs on SQLite.

Triggers and constraints apply as for any other INSERT.
"""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from django.db import connection, models

EMPTY: tuple[dict[str, Any], list[Any]] = ({}, [])
AS_THEY_ARE = (
    models.CharField,
    models.TextField,
    models.IntegerField,
    models.FloatField,
    models.BooleanField,
)


def insert(model: type[models.Model], names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Insert rows whose values are in the order of `names`, the attribute names of the model's columns. Other columns
    get their field's default, or their number from the database."""
    given = list(zip(*rows, strict=True))
    if not given:
        return
    fields = {field.attname: field for field in model._meta.concrete_fields}
    values = {name: stored_values(fields[name], column) for name, column in zip(names, given, strict=True)}
    for name, field in fields.items():
        if name not in values and not isinstance(field, models.AutoField | models.GeneratedField):
            values[name] = [default_of(field)] * len(given[0])
    columns = [str(fields[name].column) for name in values]
    write(model._meta.db_table, columns, list(zip(*values.values(), strict=True)))


def stored_values(field: models.Field[Any, Any], values: Sequence[Any]) -> Iterable[Any]:
    """Return the values of one column in the form that the database takes."""
    field = pointed_at(field)
    if isinstance(field, AS_THEY_ARE):
        return values
    if isinstance(field, models.UUIDField):
        return values if connection.features.has_native_uuid_field else [in_hex(value) for value in values]
    return saved_each_once(field, values)


def pointed_at(field: models.Field[Any, Any]) -> models.Field[Any, Any]:
    """Return the column that a foreign key refers to, or the field itself."""
    while isinstance(field, models.ForeignKey):
        field = field.target_field
    return field


def in_hex(value: uuid.UUID | str | None) -> str | None:
    """Return a UUID as 32 hexadecimal digits; a string is returned as it is."""
    return value.hex if isinstance(value, uuid.UUID) else value


def saved_each_once(field: models.Field[Any, Any], values: Sequence[Any]) -> list[Any]:
    """Convert each run of equal values once, such as a time or an empty object or list that many rows repeat."""
    converted: list[Any] = []
    before: object = object()
    for given in values:
        if given is not before and not (given in EMPTY and given == before):
            ready, before = saved(field, given), given
        converted.append(ready)
    return converted


def saved(field: models.Field[Any, Any], value: Any) -> Any:
    return field.get_db_prep_save(value, connection)


def default_of(field: models.Field[Any, Any]) -> Any:
    return saved(field, field.get_default())


def write(table: str, columns: Sequence[str], rows: list[tuple[Any, ...]]) -> None:
    quoted = ", ".join(map(connection.ops.quote_name, columns))
    into = f"{connection.ops.quote_name(table)} ({quoted})"
    write_rows = by_copy if connection.vendor == "postgresql" else by_inserts
    write_rows(into, rows)


def by_copy(into: str, rows: list[tuple[Any, ...]]) -> None:
    with (
        connection.wrap_database_errors,
        connection.cursor() as cursor,
        cursor.copy(f"COPY {into} FROM STDIN") as copy,
    ):  # type: ignore[attr-defined]
        for row in rows:
            copy.write_row(row)


def by_inserts(into: str, rows: list[tuple[Any, ...]]) -> None:
    """Insert as many rows per statement as its parameters allow."""
    width = len(rows[0])
    at_once = most_parameters() // width
    row = f"({', '.join(['%s'] * width)})"
    with connection.cursor() as cursor:
        for start in range(0, len(rows), at_once):
            part = rows[start : start + at_once]
            cursor.execute(f"INSERT INTO {into} VALUES {', '.join([row] * len(part))}", list(chain(*part)))  # noqa: S608


def most_parameters() -> int:
    return int(connection.connection.getlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER))
