"""Samples to boxes: quartiles and outer percentiles of groups, exact, without a value more than needed in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from django.db.models import Count

from datasets_app.analysis import paper
from datasets_app.analysis.measure import CLASS_OF, CLASSES, OUTCOME, SPEEDUP, decided, timed
from datasets_app.analysis.statistics import quantile
from datasets_app.models.sample import SampleQuerySet

SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True)
class Box:
    """Five quantiles of one group: 5 %, quarter, median, three quarters, 95 %."""

    name: str
    n: int
    quantiles: tuple[float, ...]


def length_boxes(samples: SampleQuerySet) -> list[Box]:
    """Return trace lengths in tokens by class of outcome on the device. The database counts each length; one query."""
    traced = decided(samples).with_trace().order_by()
    rows = traced.values_list(OUTCOME, "trace_tokens").annotate(n=Count("pk"))
    groups: dict[str, dict[float, int]] = {name: {} for name in CLASSES}
    for outcome, tokens, n in rows.iterator(chunk_size=5000):
        counts = groups[CLASS_OF[outcome]]
        counts[tokens] = counts.get(tokens, 0) + n
    return boxes(groups)


def speed_boxes(samples: SampleQuerySet) -> list[Box]:
    """Return measured speedups over the paper's nine bins of trace length; the outer bins are open."""
    both = timed(samples).with_trace().order_by()
    edges = paper.edges()
    inner = [span(low, high) for low, high in pairwise(edges[1:-1])]
    names = [f"under {edges[1] / 1000:.1f} k", *inner, f"from {edges[-2] / 1000:.1f} k"]
    groups: dict[str, dict[float, int]] = {name: {} for name in names}
    for tokens, speedup in both.values_list("trace_tokens", SPEEDUP).iterator(chunk_size=5000):
        assert tokens is not None and speedup is not None, "the filter asks for both"  # noqa: PT018
        place = int((tokens - edges[0]) / (edges[-1] - edges[0]) * paper.BINS)
        counts = groups[names[min(paper.BINS - 1, max(0, place))]]
        counts[speedup] = counts.get(speedup, 0) + 1
    return boxes(groups)


def span(low: float, high: float) -> str:
    return f"{low / 1000:.1f}–{high / 1000:.1f} k"


def boxes(groups: Mapping[str, Mapping[float, int]]) -> list[Box]:
    return [box(name, sorted(counts.items())) for name, counts in groups.items() if counts]


def box(name: str, counted: Iterable[tuple[float, int]]) -> Box:
    pairs = list(counted)
    return Box(name, sum(n for _, n in pairs), tuple(quantile(pairs, share) for share in SHARES))
