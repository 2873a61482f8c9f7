"""Facet counts beside the list: the rows that each value would leave. A facet ignores its own part of the filter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from datasets_app.browse.query.fields import NONE, FlagField
from datasets_app.browse.query.filter import BrowseFilter
from datasets_app.browse.query.negated import MINUS, positive
from datasets_app.browse.query.sets import Sets
from datasets_app.browse.query.vocabulary import FIELDS, ON_DEVICE
from datasets_app.db.facet_index import read
from datasets_app.db.facet_index.facets import names
from datasets_app.db.facet_index.sets import both, size
from datasets_app.db.text_index import pending

# The facets of the page, in order. A facet is a field of the vocabulary with bits of its own: to add one,
# register its
# bits and name it here, or call show() from AppConfig.ready().
SHOWN_FACETS = [
    *("outcome", "verdict", "language", "kind", "operator", "generator", "source", "device"),
    *("stale", "finding", "task_finding", "length", "gain"),
]
SHOWN = 6  # values before "more"
IN_ORDER = ("length", "gain")  # their values are sorted by range, not by frequency


def show(name: str) -> None:
    if name not in SHOWN_FACETS:
        SHOWN_FACETS.append(name)


@dataclass(frozen=True)
class FacetValue:
    value: str
    word: str
    count: int
    chosen: bool
    excluded: bool = False  # by the negated filter


@dataclass(frozen=True)
class Facet:
    name: str
    label: str
    values: list[FacetValue]

    @property
    def is_range(self) -> bool:
        """Return whether its values are ranges of a number."""
        return self.name in IN_ORDER

    @property
    def first(self) -> list[FacetValue]:
        """The most frequent values, and all selected ones."""
        return [value for at, value in enumerate(self.values) if at < SHOWN or value.chosen or value.excluded]

    @property
    def rest(self) -> list[FacetValue]:
        return [
            value
            for at, value in enumerate(self.values)
            if at >= SHOWN and not (value.chosen or value.excluded)
        ]


@dataclass(frozen=True)
class Facets:
    """`at_least`: a word is so common that only its newest rows were counted. `behind`: number of rows that changed a
    moment ago and are counted with their former values.
    """

    total: int
    facets: list[Facet]
    at_least: bool = False
    overcounts: bool = False  # a negated search was cut short: counts are estimates
    behind: int = 0
    unindexed: int = 0  # texts that are not indexed yet, at most MOST_SHOWN; 0 if nothing is searched
    hidden: int = 0  # samples whose reviews the reader may not see, in the whole data set

    @property
    def more_unindexed(self) -> bool:
        """Return whether there may be more such texts than were counted."""
        return self.unindexed >= pending.MOST_SHOWN


def count(chosen: BrowseFilter, sets: Sets | None = None) -> Facets:
    """Return the total and the counts of every facet of `chosen`; `sets` are its sets if they were read already."""
    sets = sets or Sets(chosen, read())
    facets = [facet(name, sets) for name in SHOWN_FACETS if name in FIELDS and name in names()]
    return Facets(
        size(sets.matching()),
        facets,
        sets.cut_short,
        sets.overcounts,
        sets.reading.behind,
        sets.unindexed,
        size(sets.hidden),
    )


def total(chosen: BrowseFilter) -> int:
    return size(Sets(chosen, read()).matching())


def facet(name: str, sets: Sets) -> Facet:
    """Return a facet with its counts. Selected values are always included, even groups of values and values without
    rows.
    """
    totals: dict[str, int] = {}
    for stored, n in counts(name, sets).items():
        value = sets.filter_value(name, stored)
        totals[value] = totals.get(value, 0) + n
    named = {value or NONE: n for value, n in totals.items()}
    if isinstance(FIELDS[name], FlagField):
        named.pop(NONE, None)  # neither yes nor no, so it cannot be selected
    chosen, excluded = sets.chosen.get(name), sets.chosen.get(MINUS + name)
    for value in (*chosen, *excluded):
        if value not in named:
            named[value] = total_of(name, value, sets)
    part = FIELDS[name]
    return Facet(
        name,
        part.label,
        [
            FacetValue(value, part.facet_word(value), named[value], value in chosen, value in excluded)
            for value in ordered(name, named)
        ],
    )


def counts(name: str, sets: Sets) -> Mapping[str, int]:
    """Return value -> number of samples that selecting it would leave. With another device, filters on evidence are
    evaluated again.
    """
    by_value = sets.counts(name, sets.matching(without=name))
    if name == "device" and by_value and any(positive(part.name) in ON_DEVICE for part, _ in sets.chosen):
        return {device: size(sets.on(device, sets.reference).matching()) for device in by_value}
    return by_value


def total_of(name: str, value: str, sets: Sets) -> int:
    """Return the count of a selected value that is not stored itself: a group of values, or a name without rows."""
    return size(both(sets.matching(without=name), sets.set_of(FIELDS[name], (value,))))


def ordered(name: str, counts: dict[str, int]) -> Iterable[str]:
    """Return the values, the most frequent first; ranges in their natural order."""
    if name in IN_ORDER:
        order = list(getattr(FIELDS[name], "choices", {}))
        return sorted(counts, key=lambda value: order.index(value) if value in order else len(order))
    return sorted(counts, key=lambda value: (-counts[value], value))
