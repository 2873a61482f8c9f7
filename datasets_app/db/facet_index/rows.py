"""Builds blocks from the samples' own rows, for compaction and for reading dirty rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db import connection

from datasets_app.db.facet_index.facets import multi_value_facets, numeric_facets, single_value_facets
from datasets_app.db.facet_index.sets import ALL, Block, Builder

ROWS = (
    "SELECT n.number, {expressions} FROM concur_sample_number n JOIN datasets_app_sample s ON s.id = n.sample_id "
    "JOIN datasets_app_task t ON t.id = s.task_id WHERE n.number {rows}"
)


def select(sql: str) -> list[Any]:
    """Return the rows of a constant statement; the numbers in it are integers of ours."""
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchall()


def among(numbers: Iterable[int]) -> str:
    """Return the condition that a number is one of these: a range if they are consecutive, as those of an ingest are.

    A block is read by many statements in one, and their lists cost PostgreSQL more to parse than the rows to read.
    """
    listed = sorted({int(number) for number in numbers})
    if listed and listed[-1] - listed[0] == len(listed) - 1:
        return between(listed[0], listed[-1])
    return f"IN ({', '.join(map(str, listed)) or 'NULL'})"


def between(low: int, high: int) -> str:
    return f"BETWEEN {int(low)} AND {int(high)}"


def block_of(condition: str, places: dict[int, int]) -> Block:
    """Return a block of the rows whose number meets the condition, each at its place, in two statements."""
    build = Builder()
    expressions = ", ".join(
        [*(facet.sql for facet in single_value_facets()), *(facet.sql for facet in numeric_facets())]
    )
    build.add_rows(
        select(ROWS.format(expressions=expressions, rows=condition)),
        places,
        single_value_facets(),
        numeric_facets(),
    )
    there = build.facets.get(ALL, {}).get(ALL, bytearray())
    union = " UNION ALL ".join(
        f"SELECT '{facet.name}', found.* FROM ({facet.sql.format(rows=condition)}) AS found"  # noqa: S608
        for facet in multi_value_facets()
    )
    for name, number, value in select(union) if multi_value_facets() else ():
        at = places[number]
        if there and there[at >> 3] >> (at & 7) & 1:  # deleted between the two statements
            build.set(name, str(value), at)
    return build.block()
