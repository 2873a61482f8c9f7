"""Counts beside the list: how many rows each value would leave, each facet ignoring what it itself is set to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from datasets_app.browse.query.fields import NONE, FlagField
from datasets_app.browse.query.filter import BrowseFilter
from datasets_app.browse.query.sets import Sets
from datasets_app.browse.query.vocabulary import FIELDS, ON_DEVICE
from datasets_app.db.facet_index import read
from datasets_app.db.facet_index.facets import names
from datasets_app.db.facet_index.sets import both, size

# The facets of the page in its order. A facet is a field of the vocabulary with bits of its own: to show one more,
# register its bits and name it here, or by show() from AppConfig.ready().
SHOWN_FACETS = [
    *("outcome", "verdict", "review", "language", "kind", "operator", "generator", "source", "device"),
    *("stale", "finding", "length", "gain"),
]
SHOWN = 6  # values before "more"
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


def count(chosen: BrowseFilter, sets: Sets | None = None) -> Facets:
    """The total and every facet of what `chosen` matches; `sets` are its sets where they are read already."""
    sets = sets or Sets(chosen, read())
    facets = [facet(name, sets) for name in SHOWN_FACETS if name in FIELDS and name in names()]
    return Facets(size(sets.matching()), facets, sets.cut_short, sets.reading.behind)


def total(chosen: BrowseFilter) -> int:
    return size(Sets(chosen, read()).matching())


def facet(name: str, sets: Sets) -> Facet:
    """What is chosen stays in sight, be it a group of values or one that no row has."""
    found: dict[str, int] = {}
    for cell, n in counts(name, sets).items():
        called = sets.cell_name(name, cell)
        found[called] = found.get(called, 0) + n
    named = {cell or NONE: n for cell, n in found.items()}
    if isinstance(FIELDS[name], FlagField):
        named.pop(NONE, None)  # neither yes nor no, and no value that could be asked for
    chosen = sets.chosen.get(name)
    for value in chosen:
        if value not in named:
            named[value] = total_of(name, value, sets)
    part = FIELDS[name]
    return Facet(
        name,
        part.label,
        [
            FacetValue(value, part.facet_word(value), named[value], value in chosen)
            for value in ordered(name, named)
        ],
    )


def counts(name: str, sets: Sets) -> dict[str, int]:
    """Value to the samples that choosing it would leave. With another device the filters about evidence ask anew."""
    found = sets.counts(name, sets.matching(without=name))
    if name == "device" and any(asked in sets.chosen for asked in ON_DEVICE):
        return {
            device: size(Sets(sets.chosen.having(name, device), sets.reading).matching()) for device in found
        }
    return found


def total_of(name: str, value: str, sets: Sets) -> int:
    """A chosen value that is no cell: a group of them, or a name that no row has."""
    return size(both(sets.matching(without=name), sets.set_of(FIELDS[name], (value,))))


def ordered(name: str, counts: dict[str, int]) -> Iterable[str]:
    """Most frequent first; ranges as they follow each other."""
    if name in IN_ORDER:
        order = list(getattr(FIELDS[name], "choices", {}))
        return sorted(counts, key=lambda value: order.index(value) if value in order else len(order))
    return sorted(counts, key=lambda value: (-counts[value], value))
