"""Counts beside the list: how many rows each value would leave, each facet ignoring what it itself is set to.

One query groups the rows by all facets at once; the groups (some hundreds, whatever the rows) are then added
up here for each facet, and the total falls out of the same sums.
"""

from collections import Counter
from dataclasses import dataclass

from django.db.models import Count

from datasets_app.browse.fields import NONE
from datasets_app.browse.filter import BrowseFilter
from datasets_app.browse.vocabulary import FIELDS
from datasets_app.models import Source

# facet (a parameter of the filter) -> the column that it counts
COLUMNS = {
    "outcome": "outcome",
    "verdict": "verdict",
    "language": "language",
    "kind": "task__kind",
    "generator": "generator",
    "source": "source_id",
    "device": "device",
}
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
    """The total and every facet of what `chosen` matches; two queries."""
    sources = dict(Source.objects.values_list("pk", "name"))
    groups = chosen.queryset(without=COLUMNS).values_list(*COLUMNS.values()).annotate(n=Count("pk"))
    names = list(COLUMNS)
    at_source = names.index("source")
    asked = {at: name for at, name in enumerate(names) if name in chosen}
    counts: list[Counter[str]] = [Counter() for _ in names]
    total = 0
    for *cells, n in groups:
        cells[at_source] = sources.get(cells[at_source], "")
        misses = [at for at, name in asked.items() if not FIELDS[name].admits(chosen.get(name), cells[at])]
        if not misses:
            total += n
            for at, cell in enumerate(cells):
                counts[at][cell] += n
        elif len(misses) == 1:
            counts[misses[0]][cells[misses[0]]] += n
    return Facets(total, [facet(name, chosen, found) for name, found in zip(names, counts, strict=True)])


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
