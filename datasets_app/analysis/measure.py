"""Samples to numbers: SQL aggregates over scalars.

Every function takes the samples that the current filter gives, with their results on one device (see
SampleQuerySet.with_result_on): no figure mixes devices, and samples without a decision there do not count.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from django.db.models import Avg, Case, Count, F, FloatField, IntegerField, Max, Min, Q, Sum, Value, When

from datasets_app.analysis import paper
from datasets_app.analysis.statistics import Correlation, correlate
from datasets_app.models.sample import SampleQuerySet

POINTS = 2000  # drawn; the fit takes all
GENERATORS = 15
CLASSES = {
    "passed": ("passed",),
    "wrong": ("wrong_value", "wrong_structure", "nondeterministic", "broken_promise"),
    "cheated": ("cheated",),
    "did not run": (
        "build_error",
        "build_timeout",
        "load_error",
        "runtime_error",
        "illegal_memory",
        "out_of_memory",
        "timeout",
    ),
}
CLASS_OF = {outcome: name for name, members in CLASSES.items() for outcome in members}
OUTCOME, SPEEDUP = "outcome_there", "speedup_there"
PASSED = Q(outcome_there="passed")
DECIDED = Q(outcome_there__isnull=False)
TIMED = Q(speedup_there__isnull=False)  # what did not pass has no speedup
SPEED_EDGES = [0.0, 0.25, 0.5, 0.71, 0.9, 1.0, 1.1, 1.41, 2.0, 2.83, 4.0, 5.66, 8.0, 16.0, 64.0]


@dataclass(frozen=True)
class Bin:
    low: float
    high: float | None  # None: no upper bound
    n: int
    hits: int = 0


@dataclass(frozen=True)
class Accuracy:
    """Share of passed samples by trace length."""

    bins: list[Bin]
    like_paper: bool  # the paper's bounds, or nine bins over the traces at hand

    @property
    def n(self) -> int:
        return sum(entry.n for entry in self.bins)


@dataclass(frozen=True)
class Scatter:
    points: list[tuple[int, float, str]]  # tokens, speedup, task
    fit: Correlation | None
    n: int
    tokens: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Speeds:
    measured: list[Bin]
    claimed: list[Bin]
    measured_median: float | None = None
    claimed_median: float | None = None


@dataclass(frozen=True)
class Outcomes:
    generators: list[tuple[str, dict[str, int]]] = field(default_factory=list)  # name, class -> samples
    left_out: int = 0  # generators beyond those shown


def decided(samples: SampleQuerySet) -> SampleQuerySet:
    """Return the samples with a deciding verification on the device."""
    return samples.filter(DECIDED)


def timed(samples: SampleQuerySet) -> SampleQuerySet:
    """Return the samples that passed on the device and have a speedup there."""
    return samples.filter(TIMED)


def accuracy(samples: SampleQuerySet, bins: str = "") -> Accuracy:
    """Return accuracy in bins: "paper", "data", or empty for the paper's if half of the traces are within them."""
    traced = decided(samples).with_trace()
    inside = Q(trace_tokens__gte=paper.FIRST_TOKENS, trace_tokens__lte=paper.LAST_TOKENS)
    facts = traced.aggregate(
        n=Count("pk"), inside=Count("pk", filter=inside), first=Min("trace_tokens"), last=Max("trace_tokens")
    )
    like_paper = bins == "paper" or (bins != "data" and facts["inside"] * 2 >= facts["n"])
    if not facts["n"]:
        return Accuracy([], like_paper)
    edges = bounds(like_paper, facts["first"], facts["last"])
    return Accuracy(histogram(traced, "trace_tokens", edges, PASSED), like_paper)


def bounds(like_paper: bool, first: int, last: int) -> list[float]:
    """Return bin edges. The last bin has no upper bound; traces below the paper's first edge get a bin of their own."""
    if like_paper:
        own = paper.edges()
        return own if first >= own[0] else [0.0, *own]
    return paper.edges(first, max(last, first + paper.BINS))


def histogram(samples: SampleQuerySet, column: str, edges: list[float], hit: Q | None = None) -> list[Bin]:
    """Return counts between edges, low end included; values above the last edge go to a bin without an end."""
    whens = [When(**{f"{column}__lt": high}, then=Value(number)) for number, high in enumerate(closed(edges))]
    placed = samples.annotate(bin=Case(*whens, default=Value(len(whens)), output_field=IntegerField()))
    hits = Count("pk", filter=hit) if hit is not None else Value(0, output_field=IntegerField())
    rows = placed.order_by().values("bin").annotate(n=Count("pk"), hits=hits).values_list("bin", "n", "hits")
    counts = {number: (n, hits) for number, n, hits in rows}
    shown = [
        Bin(low, high, *counts.get(number, (0, 0))) for number, (low, high) in enumerate(pairwise(edges))
    ]
    above = counts.get(len(whens))
    return [*shown, Bin(edges[-1], None, *above)] if above else shown


def closed(edges: list[float]) -> list[float]:
    """Return upper bounds, the last one just above its edge, so that the greatest value falls inside."""
    return [*edges[1:-1], edges[-1] + max(1e-9, abs(edges[-1]) * 1e-12)]


def speed_and_length(samples: SampleQuerySet) -> Scatter:
    """Return measured speedups against trace lengths, of samples that have both."""
    both = timed(samples).with_trace()
    facts = both.aggregate(
        n=Count("pk"),
        x=Avg("trace_tokens"),
        y=Avg(SPEEDUP),
        a=Min("trace_tokens"),
        b=Max("trace_tokens"),
    )
    if not facts["n"]:
        return Scatter([], None, 0)
    fit = correlate(facts["n"], facts["x"], facts["y"], *centred_sums(both, facts["x"], facts["y"]))
    columns = ("trace_tokens", SPEEDUP, "task__name")
    points = both.order_by("id").values_list(*columns)[:POINTS]  # ids are hashes: the first are a fair sample
    return Scatter(list(points), fit, facts["n"], (facts["a"], facts["b"]))


def centred_sums(samples: SampleQuerySet, mean_x: float, mean_y: float) -> tuple[float, float, float]:
    """Return sums of squares and products about the means; a second pass avoids cancellation."""
    x = F("trace_tokens") - Value(mean_x, output_field=FloatField())
    y = F(SPEEDUP) - Value(mean_y, output_field=FloatField())
    floats: Any = {"output_field": FloatField()}
    sums = samples.aggregate(xx=Sum(x * x, **floats), yy=Sum(y * y, **floats), xy=Sum(x * y, **floats))
    return sums["xx"], sums["yy"], sums["xy"]


def speeds(samples: SampleQuerySet) -> Speeds:
    """Return the distributions of measured and claimed speedups, each over the samples that have one."""
    measured = timed(samples)
    claimed = samples.filter(claimed_speedup__gt=0)
    return Speeds(
        histogram(measured, SPEEDUP, SPEED_EDGES),
        histogram(claimed, "claimed_speedup", SPEED_EDGES),
        median(measured, SPEEDUP),
        median(claimed, "claimed_speedup"),
    )


def median(samples: SampleQuerySet, column: str) -> float | None:
    """Return the median, read by its place in the order."""
    values = samples.order_by(column, "pk").values_list(column, flat=True)
    n = values.count()
    middle = list(values[(n - 1) // 2 : n // 2 + 1]) if n else []
    return sum(middle) / len(middle) if middle else None


def outcomes(samples: SampleQuerySet) -> Outcomes:
    """Return verified samples by generator and class of outcome, the generators with most first."""
    rows = decided(samples).order_by().values_list("generator", OUTCOME).annotate(n=Count("pk"))
    by_generator: dict[str, dict[str, int]] = {}
    for generator, outcome, n in rows:
        counts = by_generator.setdefault(generator or "unknown", dict.fromkeys(CLASSES, 0))
        counts[CLASS_OF[outcome]] += n
    ranked = sorted(by_generator.items(), key=lambda item: (-sum(item[1].values()), item[0]))
    return Outcomes(ranked[:GENERATORS], max(0, len(ranked) - GENERATORS))
