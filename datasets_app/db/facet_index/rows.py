"""Blocks out of the samples' own rows: what both folding and reading do with rows that changed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db import connection

from datasets_app.db.facet_index.facets import amounts, columns, manies
from datasets_app.db.facet_index.sets import ALL, Block, Builder

ROWS = (
    "SELECT n.number, {cells} FROM concur_sample_number n JOIN datasets_app_sample s ON s.id = n.sample_id "
    "JOIN datasets_app_task t ON t.id = s.task_id WHERE n.number {rows}"
)


def select(sql: str) -> list[Any]:
    """Rows of a statement that is ours to the last character: numbers in it are integers of ours."""
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchall()


def among(numbers: Iterable[int]) -> str:
    return f"IN ({', '.join(str(int(number)) for number in numbers) or 'NULL'})"


def between(low: int, high: int) -> str:
    return f"BETWEEN {int(low)} AND {int(high)}"


def block_of(condition: str, places: dict[int, int]) -> Block:
    """A block of the rows whose number meets the condition, each at its place; two statements."""
    build = Builder()
    cells = ", ".join([*(column.sql for column in columns()), *(amount.sql for amount in amounts())])
    build.add_rows(select(ROWS.format(cells=cells, rows=condition)), places, columns(), amounts())
    there = build.facets.get(ALL, {}).get(ALL, bytearray())
    union = " UNION ALL ".join(
        f"SELECT '{facet.name}', found.* FROM ({facet.sql.format(rows=condition)}) AS found"  # noqa: S608
        for facet in manies()
    )
    for name, number, cell in select(union) if manies() else ():
        at = places[number]
        if there and there[at >> 3] >> (at & 7) & 1:  # gone between the two statements
            build.set(name, str(cell), at)
    return build.block()
