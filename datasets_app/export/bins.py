"""Bins of trace lengths and speedups, the same wherever rows are counted: freezing, the card, two recipes compared."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

from datasets_app.models import Release

TOKEN_EDGES = (
    500,
    1000,
    2000,
    3000,
    4000,
    5000,
    6000,
    8500,
    12_000,
    20_000,
)  # 4,000 and 8,500: ConCuR's classes
SPEEDUP_EDGES = (0.5, 0.9, 1.1, 1.5, 2, 3, 5, 10)


def labels(edges: Sequence[float]) -> list[str]:
    """Return the names of the bins below, between and above the edges, in order."""
    return [
        f"under {edges[0]:,}",
        *(f"{low:,} to {high:,}" for low, high in pairwise(edges)),
        f"{edges[-1]:,} and more",
    ]


def bin_of(edges: Sequence[float], value: float) -> int:
    """Return the number of the value's bin; a value at an edge is in the bin above it."""
    return bisect_right(edges, value)


EDGES: dict[str, Sequence[float]] = {
    "trace_tokens": TOKEN_EDGES,
    "speedup_over_eager": SPEEDUP_EDGES,
}  # by column
IN_ORDER = {name: labels(edges) for name, edges in EDGES.items()} | {
    "difficulty": ["easy", "middling", "hard"]
}


def counted(release: Release, what: str) -> list[tuple[str, int]]:
    """Return a release's rows per kind, language and the like, the largest first; bins in order, without a gap.

    The rows that have no value come last, under an empty name.
    """
    found = release.counts.get(what, {})
    if what not in IN_ORDER:
        return release.counted(what)
    filled = [number for number, label in enumerate(IN_ORDER[what]) if label in found]
    shown = IN_ORDER[what][filled[0] : filled[-1] + 1] if filled else []
    none = [("", found[""])] if "" in found else []
    return [(label, found.get(label, 0)) for label in shown] + none
