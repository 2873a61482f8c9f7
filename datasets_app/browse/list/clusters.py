"""Clusters of similar kernels within a filter, largest first, each with the number of its matching samples."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import OuterRef, Subquery, UUIDField
from django.db.models.functions import Left

from datasets_app.browse.query.filter import BrowseFilter
from datasets_app.browse.query.sets import Sets
from datasets_app.db.facet_index import labels, read
from datasets_app.models import CodeShape, KernelFingerprint, Sample
from datasets_app.models.shape import CLUSTER_DIGITS

FEWEST = 2  # samples; a single kernel is no cluster
MOST = 100


@dataclass(frozen=True)
class Cluster:
    """`example`: a sample of the cluster, whose task and generator say what the cluster is about."""

    name: str
    count: int
    chosen: bool
    example: Sample | None = None


@dataclass(frozen=True)
class Clusters:
    """`more`: the number of smaller clusters not listed. `waiting`: samples that are not in the index of similar
    kernels yet.
    """

    rows: list[Cluster]
    more: int
    waiting: int
    at_least: bool


def clusters_of(chosen: BrowseFilter, most: int = MOST) -> Clusters:
    """Return the clusters among the samples that the rest of the filter matches; three queries besides those of
    the counts.
    """
    sets = Sets(chosen, read())
    counts = labels.counts(sets.reading, "cluster", sets.matching(without="cluster"))
    waiting = counts.pop(0, 0)
    large = sorted(((pk, n) for pk, n in counts.items() if n >= FEWEST), key=lambda pair: (-pair[1], pair[0]))
    names = names_of([pk for pk, _ in large[:most]])
    wanted = chosen.get("cluster")
    examples = examples_of(list(names))
    rows = [
        Cluster(names[pk], n, names[pk] in wanted, examples.get(pk)) for pk, n in large[:most] if pk in names
    ]
    return Clusters(rows, max(0, len(large) - most), waiting, sets.cut_short)


def names_of(leaders: list[int]) -> dict[int, str]:
    light = CodeShape.objects.only("sha256", "leader").filter(pk__in=leaders)
    return {shape.pk: shape.cluster for shape in light}


def examples_of(leaders: list[int]) -> dict[int, Sample]:
    """Return a sample of each of these leaders' clusters, the one with the lowest id, by leader; two queries."""
    members = KernelFingerprint.objects.filter(cluster=Left(OuterRef("sha256"), CLUSTER_DIGITS))
    first = Subquery(members.order_by("sample").values("sample")[:1], output_field=UUIDField())
    found = CodeShape.objects.filter(pk__in=leaders).values_list("pk", first)
    samples = Sample.objects.select_related("task").only("generator", "language", "task__name")
    named = samples.in_bulk([sample for _, sample in found if sample])
    return {leader: named[sample] for leader, sample in found if sample in named}
