"""Rows of one table into a stream and back, in the form of `cells`, without holding a table in memory."""

# ruff: noqa: S608  names of tables and columns come from the models

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO, Protocol

from django.db import connection

from concur_site.backup.cells import line_of, values_of
from concur_site.backup.tables import Table

AT_ONCE = 200  # rows
BATCH_BYTES = 4 * 2**20
BLOCK_BYTES = 2**20
# The form in which PostgreSQL writes and reads, whatever the database's own defaults are.
FORMS = [
    "SET LOCAL datestyle = 'ISO'",
    "SET LOCAL timezone = 'UTC'",
    "SET LOCAL bytea_output = 'hex'",
    "SET LOCAL extra_float_digits = 1",
]


class Sink(Protocol):
    def write(self, data: bytes, /) -> Any: ...


def quoted(names: tuple[str, ...]) -> str:
    return ", ".join(connection.ops.quote_name(name) for name in names)


def fix_forms() -> None:
    """Set PostgreSQL's text forms for the current transaction."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            for statement in FORMS:
                cursor.execute(statement)


# --- Out ---------------------------------------------------------------------------------------------------------


def write_rows(table: Table, sink: Sink) -> int:
    """Write every row of the table, one a line. Return how many there are."""
    return write_postgres(table, sink) if connection.vendor == "postgresql" else write_sqlite(table, sink)


def write_postgres(table: Table, sink: Sink) -> int:
    rows = 0
    with connection.cursor() as cursor:
        statement = f"COPY (SELECT {quoted(table.columns)} FROM {quoted((table.name,))}) TO STDOUT"
        with connection.wrap_database_errors, cursor.copy(statement) as copy:
            for block in copy:
                data = bytes(block)
                rows += data.count(b"\n")
                sink.write(data)
    return rows


def write_sqlite(table: Table, sink: Sink) -> int:
    # A unary plus keeps the driver from converting the value by its column's type.
    columns = ", ".join(f"+{quoted((name,))}" for name in table.columns)
    rows = 0
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {columns} FROM {quoted((table.name,))}")
        for row in cursor:  # one at a time: a row may hold half a megabyte
            sink.write(line_of(row, table.kinds))
            rows += 1
    return rows


# --- In ----------------------------------------------------------------------------------------------------------


def load_rows(table: Table, stream: BinaryIO) -> int:
    """Insert every line of the stream. Return how many there were. Raises CellError or what the database raises."""
    load = load_postgres if connection.vendor == "postgresql" else load_sqlite
    return load(table, stream)


def load_postgres(table: Table, stream: BinaryIO) -> int:
    rows = 0
    with connection.cursor() as cursor:
        statement = f"COPY {quoted((table.name,))} ({quoted(table.columns)}) FROM STDIN"
        with connection.wrap_database_errors, cursor.copy(statement) as copy:
            while block := stream.read(BLOCK_BYTES):
                rows += block.count(b"\n")
                copy.write(block)
    return rows


def load_sqlite(table: Table, stream: BinaryIO) -> int:
    places = ", ".join(["%s"] * len(table.columns))
    statement = f"INSERT INTO {quoted((table.name,))} ({quoted(table.columns)}) VALUES ({places})"
    rows = 0
    with connection.cursor() as cursor:
        for lines in batches(stream):
            cursor.executemany(statement, [values_of(line, table.kinds) for line in lines])
            rows += len(lines)
    return rows


def batches(stream: BinaryIO) -> Iterator[list[bytes]]:
    """Yield lines in lists of limited bytes and length."""
    lines: list[bytes] = []
    size = 0
    for line in stream:
        lines.append(line)
        size += len(line)
        if len(lines) >= AT_ONCE or size >= BATCH_BYTES:
            yield lines
            lines, size = [], 0
    if lines:
        yield lines


# --- Sequences ---------------------------------------------------------------------------------------------------


def last_number(table: Table) -> int:
    """Return the last number that the table's sequence gave, so that a deleted row's is not given again."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT pg_get_serial_sequence(%s, %s)", [quoted((table.name,)), table.numbered])
            [(sequence,)] = cursor.fetchall()
            if sequence is None:
                return 0
            cursor.execute(f"SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM {sequence}")
        else:
            cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [table.name])
        found = cursor.fetchone()
    return int(found[0]) if found else 0


def continue_from(table: Table, number: int) -> None:
    """Let the table's sequence go on after this number."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "SELECT setval(pg_get_serial_sequence(%s, %s), greatest(%s, 1), %s)",
                [quoted((table.name,)), table.numbered, number, number > 0],
            )
            return
        cursor.execute("DELETE FROM sqlite_sequence WHERE name = %s", [table.name])
        if number:
            cursor.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", [table.name, number])
