"""The clusters of nearly equal kernels within a filter, largest first, each with how many of its samples are there."""

from __future__ import annotations

from dataclasses import dataclass

from datasets_app.browse.query.filter import BrowseFilter
from datasets_app.browse.query.sets import Sets
from datasets_app.db.facet_index import labels, read
from datasets_app.models import CodeShape

FEWEST = 2  # of one kernel alone nothing is nearly the same
MOST = 100


@dataclass(frozen=True)
class Cluster:
    name: str
    count: int
    chosen: bool


@dataclass(frozen=True)
class Clusters:
    """`more`: smaller ones beyond these. `waiting`: samples that the index of similar kernels does not know yet."""

    rows: list[Cluster]
    more: int
    waiting: int
    at_least: bool


def clusters_of(chosen: BrowseFilter, most: int = MOST) -> Clusters:
    """Of what the rest of the filter matches. One query beside those of the counts."""
    sets = Sets(chosen, read())
    found = labels.counts(sets.reading, "cluster", sets.matching(without="cluster"))
    waiting = found.pop(0, 0)
    large = sorted(((pk, n) for pk, n in found.items() if n >= FEWEST), key=lambda one: (-one[1], one[0]))
    names = names_of([pk for pk, _ in large[:most]])
    wanted = chosen.get("cluster")
    rows = [Cluster(names[pk], n, names[pk] in wanted) for pk, n in large[:most] if pk in names]
    return Clusters(rows, max(0, len(large) - most), waiting, sets.cut_short)


def names_of(leaders: list[int]) -> dict[int, str]:
    light = CodeShape.objects.only("sha256", "leader").filter(pk__in=leaders)
    return {shape.pk: shape.cluster for shape in light}
