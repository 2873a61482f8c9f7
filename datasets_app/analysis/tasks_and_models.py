"""Samples to numbers over their tasks and their generators: difficulty by ARL, fast_p, the largest clusters."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.db.models import Avg, Count, Q

from datasets_app.analysis.measure import DECIDED, PASSED, Bin, decided
from datasets_app.browse.query.hidden_reviews import HiddenReviews
from datasets_app.models import KernelFingerprint
from datasets_app.models.sample import SampleQuerySet
from datasets_app.traces.difficulty import class_of

BIN_TOKENS = 500
LAST_BIN = 24  # what is longer joins it
LEVELS = (0, 0.25, 0.5, 0.75, 0.9, 1, 1.1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 7, 10)
GENERATORS = 6
NAMED = 3  # generators and tokenizers in a caption
CLUSTERS = 15


@dataclass
class Class:
    """Tasks of one class of difficulty."""

    name: str
    tasks: int = 0
    traces: int = 0
    decided: int = 0
    passed: int = 0


@dataclass
class Difficulty:
    """Tasks by their average reasoning length (ARL)."""

    bins: list[Bin] = field(default_factory=list)
    classes: list[Class] = field(default_factory=list)
    tasks: int = 0
    fewest: int = 0  # traces of the task that has fewest
    most: int = 0
    generators: tuple[str, ...] = ()  # of the traces
    tokenizers: tuple[str, ...] = ()


def difficulty(samples: SampleQuerySet) -> Difficulty:
    """Return tasks by class of difficulty, and the setting of their lengths. The database averages; three queries."""
    traced = samples.with_trace().order_by().values_list("task")
    generators, tokenizers = (distinct(samples, name) for name in ("generator", "tokenizer"))
    rows = traced.annotate(
        arl=Avg("trace_tokens"),
        n=Count("pk"),
        decided=Count("pk", filter=DECIDED),
        passed=Count("pk", filter=PASSED),
    ).values_list("arl", "n", "decided", "passed")
    counts = [0] * (LAST_BIN + 1)
    classes = {name: Class(name) for name in ("easy", "middling", "hard")}
    fewest, most = 0, 0
    for arl, n, decided_ones, passed in rows.iterator(chunk_size=5000):
        counts[min(LAST_BIN, int(arl // BIN_TOKENS))] += 1
        group = classes[class_of(float(arl))]
        group.tasks += 1
        group.traces += n
        group.decided += decided_ones
        group.passed += passed
        fewest, most = min(fewest or n, n), max(most, n)
    return Difficulty(
        bins_of(counts), list(classes.values()), sum(counts), fewest, most, generators, tokenizers
    )


def distinct(samples: SampleQuerySet, name: str) -> tuple[str, ...]:
    """Return the distinct values of a column of the samples with a trace, at most one more than a caption names."""
    values = samples.with_trace().order_by(name).values_list(name, flat=True).distinct()
    return tuple(values[: NAMED + 1])


def bins_of(counts: list[int]) -> list[Bin]:
    last = max((at for at, n in enumerate(counts) if n), default=-1)
    return [
        Bin(at * BIN_TOKENS, None if at == LAST_BIN else (at + 1) * BIN_TOKENS, counts[at])
        for at in range(last + 1)
    ]


@dataclass(frozen=True)
class FastP:
    """Counts of one generator's verified samples that passed and were faster than each of LEVELS."""

    generator: str
    n: int
    faster: tuple[int, ...]


def fast_p(samples: SampleQuerySet) -> list[FastP]:
    """Return generators, most verified samples first. Level 0 counts all that passed, measured or not. One query."""
    at_least = {
        f"level_{at}": Count("pk", filter=Q(speedup_there__gt=level)) for at, level in enumerate(LEVELS)
    }
    at_least["level_0"] = Count("pk", filter=PASSED)
    grouped = decided(samples).order_by().values("generator").annotate(n=Count("pk"), **at_least)
    rows = grouped.values_list("generator", "n", *at_least)
    entries = [FastP(generator or "unknown", n, tuple(faster)) for generator, n, *faster in rows]
    return sorted(entries, key=lambda entry: (-entry.n, entry.generator))[:GENERATORS]


@dataclass(frozen=True)
class Cluster:
    name: str
    samples: int
    tasks: int
    passed: int
    accepted: int


def clusters(samples: SampleQuerySet, hidden: HiddenReviews | None = None) -> tuple[list[Cluster], int]:
    """Return the largest clusters of two samples or more, and the number of samples in the index. Three queries.

    A sample whose reviews are hidden from the reader counts as one that nobody accepted.
    """
    accepted = Q(verdict="accept")
    if hidden:
        accepted &= ~hidden.condition()
    indexed = KernelFingerprint.objects.exclude(cluster="").order_by()
    if samples.query.where:  # without a filter the counts run along the clusters' own index
        indexed = indexed.filter(sample__in=samples.order_by())
    counted = indexed.values("cluster").annotate(n=Count("pk")).filter(n__gte=2).order_by("-n", "cluster")
    largest = list(counted.values_list("cluster", flat=True)[:CLUSTERS])
    rows = (
        samples.filter(fingerprint__cluster__in=largest)
        .values("fingerprint__cluster")
        .annotate(
            n=Count("pk"),
            tasks=Count("task", distinct=True),
            passed=Count("pk", filter=PASSED),
            accepted=Count("pk", filter=accepted),
        )
        .order_by("-n", "fingerprint__cluster")
        .values_list("fingerprint__cluster", "n", "tasks", "passed", "accepted")
    )
    return [Cluster(*row) for row in rows], indexed.count()
