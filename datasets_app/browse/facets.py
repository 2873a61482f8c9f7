"""Counts beside the list: how many rows each value would leave, each facet ignoring what it itself is set to.

One statement counts all facets: what matches is found once (a materialised subquery) and counted by each
column; a facet that is itself set has a subquery of its own. Without a filter nothing is materialised, so that
each count runs along its column's index.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import QuerySet

from datasets_app.browse.fields import NONE
from datasets_app.browse.filter import BrowseFilter
from datasets_app.browse.vocabulary import FIELDS
from datasets_app.models import Source

# facet (a parameter of the filter) -> the sample's column that it counts; a kind is counted through the tasks
COLUMNS = {
    "outcome": "outcome",
    "verdict": "verdict",
    "language": "language",
    "kind": "task_id",
    "generator": "generator",
    "source": "source_id",
    "device": "device",
}
TOTAL = "total"
Params = tuple[Any, ...]
SHOWN = 6  # values before "more"


@dataclass(frozen=True)
class FacetValue:
    value: str
    word: str
    count: int
    chosen: bool


@dataclass(frozen=True)
class Facet:
    name: str
    label: str
    values: list[FacetValue]

    @property
    def first(self) -> list[FacetValue]:
        """The most frequent, and all that are chosen."""
        return [value for at, value in enumerate(self.values) if at < SHOWN or value.chosen]

    @property
    def rest(self) -> list[FacetValue]:
        return [value for at, value in enumerate(self.values) if at >= SHOWN and not value.chosen]


@dataclass(frozen=True)
class Facets:
    total: int
    facets: list[Facet]


def count(chosen: BrowseFilter) -> Facets:
    """The total and every facet of what `chosen` matches; two queries, whatever the filter and the rows."""
    sources = {str(pk): name for pk, name in Source.objects.values_list("pk", "name")}
    counts: dict[str, Counter[str]] = {name: Counter() for name in (TOTAL, *COLUMNS)}
    for name, cell, n in counted(chosen):
        counts[name][sources.get(cell, "") if name == "source" else cell] += n
    return Facets(counts[TOTAL][""], [facet(name, chosen, counts[name]) for name in COLUMNS])


def counted(chosen: BrowseFilter) -> list[tuple[str, str, int]]:
    """(facet, value, rows), and the total under its own name."""
    parts = [part for name in COLUMNS if (part := facet_sql(name, chosen))]
    try:
        columns = sorted(set(COLUMNS.values()))
        matching, params = sql_of(chosen.queryset(), columns)
    except EmptyResultSet:
        parts = [part for part in parts if part[1] is not None]  # only what does not read `matching` is left
        return execute(" UNION ALL ".join(sql for sql, _ in parts), parts)
    kept = "MATERIALIZED" if chosen else "NOT MATERIALIZED"
    total = "SELECT 'total', '', count(*) FROM matching"
    union = " UNION ALL ".join([total, *(sql for sql, _ in parts)])
    return execute(
        f"WITH matching({', '.join(columns)}) AS {kept} ({matching}) {union}", [("", params), *parts]
    )


def execute(sql: str, parts: list[tuple[str, Params | None]]) -> list[tuple[str, str, int]]:
    if not sql:
        return []
    params = [value for _, values in parts for value in values or ()]
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return cursor.fetchall()


def facet_sql(name: str, chosen: BrowseFilter) -> tuple[str, Params | None] | None:
    """One facet's SELECT; its parameters are None where it reads the common subquery. None: it has no rows."""
    column = COLUMNS[name]
    if name not in chosen:
        return grouped(name, column, "matching"), None
    try:
        rows, params = sql_of(chosen.queryset(without=[name]), [column])
    except EmptyResultSet:
        return None
    return grouped(name, column, f"({rows}) AS of_{name}"), params


def grouped(name: str, column: str, rows: str) -> str:
    """Names and columns are ours (COLUMNS); what a person typed stands in parameters."""
    if name != "kind":
        return f"SELECT '{name}', CAST({column} AS varchar), count(*) FROM {rows} GROUP BY {column}"  # noqa: S608
    by_task = f"SELECT task_id, count(*) AS n FROM {rows} GROUP BY task_id"  # noqa: S608
    return (
        f"SELECT 'kind', t.kind, CAST(sum(n) AS bigint) FROM ({by_task}) AS by_task "  # noqa: S608
        "JOIN datasets_app_task t ON t.id = by_task.task_id GROUP BY t.kind"
    )


def sql_of(rows: QuerySet, columns: list[str]) -> tuple[str, Params]:
    """The SELECT of these columns. Raises EmptyResultSet for a filter that nothing can match."""
    return rows.values_list(*columns).query.sql_with_params()


def facet(name: str, chosen: BrowseFilter, found: Counter[str]) -> Facet:
    """Most frequent first. What is chosen stays in sight, be it a group of values or one that no row has."""
    field = FIELDS[name]
    named = {cell or NONE: n for cell, n in found.items()}
    for value in chosen.get(name):
        if value not in named:
            named[value] = sum(n for cell, n in found.items() if field.admits((value,), cell))
    ordered = sorted(named.items(), key=lambda item: (-item[1], item[0]))
    return Facet(
        name,
        field.label,
        [FacetValue(value, field.facet_word(value), n, value in chosen.get(name)) for value, n in ordered],
    )
