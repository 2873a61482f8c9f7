"""Counts beside the list: how many rows each value would leave, each facet ignoring what it itself is set to.

A filter's parts become sets of samples (datasets_app.bits): from the bits of a facet's values, from an amount's
digits, or, for what has neither, from one SELECT of the samples' numbers. The rest is ANDs and counting ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from django.core.exceptions import EmptyResultSet
from django.db import connection

from datasets_app.bits import Reading, Selection, read
from datasets_app.bits.facets import names
from datasets_app.bits.sets import both, size
from datasets_app.browse.fields import NONE, Field, Values
from datasets_app.browse.filter import BrowseFilter
from datasets_app.browse.open_fields import BoundField
from datasets_app.browse.vocabulary import FIELDS
from datasets_app.models import Sample, Source
from datasets_app.search import numbers_with

# The facets of the page in its order. A facet is a field of the vocabulary with bits of its own: to show one more,
# register its bits and name it here, or by show() from AppConfig.ready().
SHOWN_FACETS = [
    *("outcome", "verdict", "review", "language", "kind", "operator", "generator", "source", "device"),
    *("finding", "length", "gain"),
]
SHOWN = 6  # values before "more"
MOST_NUMBERS = 100_000  # that one part of a filter may name one by one; beyond it counts are "more than"
IN_ORDER = ("length", "gain")  # values of these stand in their own order, not by frequency


def show(name: str) -> None:
    if name not in SHOWN_FACETS:
        SHOWN_FACETS.append(name)


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
    """`at_least`: a word is so common that only its newest rows were counted. `behind`: so many rows that changed a
    moment ago count as they stood before."""

    total: int
    facets: list[Facet]
    at_least: bool = False
    behind: int = 0


def count(chosen: BrowseFilter) -> Facets:
    """The total and every facet of what `chosen` matches."""
    sets = Sets(chosen, read())
    facets = [facet(name, sets) for name in SHOWN_FACETS if name in FIELDS and name in names()]
    return Facets(size(sets.matching()), facets, sets.cut_short, sets.reading.behind)


def total(chosen: BrowseFilter) -> int:
    return size(Sets(chosen, read()).matching())


@dataclass
class Sets:
    """Each part of a filter as a set of samples."""

    chosen: BrowseFilter
    reading: Reading
    cut_short: bool = False
    known: dict[str, Selection] = field(default_factory=dict)

    @cached_property
    def sources(self) -> dict[str, str]:
        return {str(pk): name for pk, name in Source.objects.values_list("pk", "name")}

    def cell_name(self, facet_name: str, cell: str) -> str:
        """What a cell is called in the filter; a source's cell is its id, so that it may be renamed."""
        return self.sources.get(cell, "") if facet_name == "source" else cell

    def matching(self, without: str = "") -> Selection:
        """What the filter leaves, one part of it left aside."""
        found = self.reading.everything
        for part, values in self.chosen:
            if part.name != without:
                found = both(found, self.part(part, values))
        return found

    def part(self, part: Field, values: Values) -> Selection:
        if part.name not in self.known:
            self.known[part.name] = self.set_of(part, values)
        return self.known[part.name]

    def set_of(self, part: Field, values: Values) -> Selection:
        if isinstance(part, BoundField):
            strict, number = part.value(values[0])
            return self.reading.bounded(part.group, number, is_min=part.is_min, strict=strict)
        if part.name in names() and part.tells_by_cell(values):
            return self.reading.where(
                part.name, lambda cell: part.admits(values, self.cell_name(part.name, cell))
            )
        return self.one_by_one(part, values)

    def one_by_one(self, part: Field, values: Values) -> Selection:
        """By a SELECT of numbers; at most so many, and then the counts say that they are a lower bound."""
        found = numbers_of(part, values, MOST_NUMBERS + 1)
        self.cut_short |= len(found) > MOST_NUMBERS
        return self.reading.of_numbers(found)


def numbers_of(part: Field, values: Values, most: int) -> list[int]:
    if part.name == "q":
        return numbers_with(values[0], most)
    try:
        sql, params = Sample.objects.order_by().filter(part.condition(values)).values("pk").query.sql_with_params()
    except EmptyResultSet:
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT number FROM concur_sample_number WHERE sample_id IN ({sql}) LIMIT {int(most)}",  # noqa: S608
            params,
        )
        return [number for (number,) in cursor.fetchall()]


def facet(name: str, sets: Sets) -> Facet:
    """What is chosen stays in sight, be it a group of values or one that no row has."""
    found: dict[str, int] = {}
    for cell, n in sets.reading.counts(name, sets.matching(without=name)).items():
        called = sets.cell_name(name, cell)
        found[called] = found.get(called, 0) + n
    named = {cell or NONE: n for cell, n in found.items()}
    chosen = sets.chosen.get(name)
    for value in chosen:
        if value not in named:
            named[value] = total_of(name, value, sets)
    part = FIELDS[name]
    return Facet(
        name,
        part.label,
        [FacetValue(value, part.facet_word(value), named[value], value in chosen) for value in ordered(name, named)],
    )


def total_of(name: str, value: str, sets: Sets) -> int:
    """A chosen value that is no cell: a group of them, or a name that no row has."""
    return size(both(sets.matching(without=name), sets.set_of(FIELDS[name], (value,))))


def ordered(name: str, counts: dict[str, int]) -> Iterable[str]:
    """Most frequent first; ranges as they follow each other."""
    if name in IN_ORDER:
        order = list(getattr(FIELDS[name], "choices", {}))
        return sorted(counts, key=lambda value: order.index(value) if value in order else len(order))
    return sorted(counts, key=lambda value: (-counts[value], value))
