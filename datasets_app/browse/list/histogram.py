"""The distribution of a filter's samples along a number: a small histogram to select a range with.

Bins follow the ladder 1, 1.5, 2, 3, 4, 5, 7, 10 of round numbers, so that a dragged range is one that a person would
have typed. Rows are counted as the range filters them: with the bits of the numeric facet (db.facet_index), or by the
database for numbers on a device that `device:` names and that is not the reference device.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import Case, Count, Value, When

from datasets_app.browse.query.filter import BrowseFilter
from datasets_app.browse.query.sets import Sets
from datasets_app.browse.query.vocabulary import ON_DEVICE
from datasets_app.db.facet_index import read
from datasets_app.db.facet_index.sets import both, size
from datasets_app.models.claim_ratio import claim_ratio_of

BAR_WIDTH, BAR_HEIGHT = 10, 40
STEPS = (1, 1.5, 2, 3, 4, 5, 7)


@dataclass(frozen=True)
class Range:
    name: str  # of the filter's bounds, and of the numeric facet
    label: str
    unit: str
    first_decade: int
    last_decade: int

    @cached_property
    def edges(self) -> list[float]:
        decades = range(self.first_decade, self.last_decade)
        return [0.0, *(float(f"{step}e{d}") for d in decades for step in STEPS), 10.0**self.last_decade]


RANGES = {
    ladder.name: ladder
    for ladder in (
        Range("tokens", "Trace", "tokens", 1, 5),
        Range("speedup", "Measured", "×", -1, 2),
        Range("claimed", "Claimed", "×", -1, 2),
        Range("ratio", "Measured over claimed", "×", -1, 2),
    )
}


@dataclass(frozen=True)
class Bar:
    low: float
    high: float | None  # None: no upper bound
    count: int

    @property
    def words(self) -> str:
        upper = f"to {self.high:,g}" if self.high is not None else "and more"
        return f"{self.low:,g} {upper}: {self.count:,}"


@dataclass(frozen=True)
class Shape:
    """A bar as it is drawn; at least one row stays visible."""

    bar: Bar
    x: int
    y: float
    height: float

    @classmethod
    def of(cls, at: int, bar: Bar, tallest: int) -> Shape:
        height = max(1.5, round(BAR_HEIGHT * bar.count / tallest, 1)) if bar.count else 0.0
        return cls(bar, at * BAR_WIDTH, BAR_HEIGHT - height, height)


@dataclass(frozen=True)
class Histogram:
    range: Range
    bars: list[Bar]
    total: int
    at_least: bool = False  # a word is so common that only its newest rows were counted
    device: str = ""  # that the filter is about, if it is not the headline's

    @property
    def label(self) -> str:
        return f"{self.range.label} on {self.device}" if self.device else self.range.label

    @property
    def tallest(self) -> int:
        return max((bar.count for bar in self.bars), default=0)

    @property
    def width(self) -> int:
        """Width of the drawing: ten units per bar, at a height of forty."""
        return BAR_WIDTH * len(self.bars)

    @property
    def shapes(self) -> list[Shape]:
        tallest = self.tallest
        return [Shape.of(at, bar, tallest) for at, bar in enumerate(self.bars)]

    @property
    def is_open(self) -> bool:
        """True if the last bar has no upper bound."""
        return bool(self.bars) and self.bars[-1].high is None

    @property
    def edges(self) -> list[float]:
        """The bars' lower edges, then the upper edge of the last (if it has none, its lower edge again)."""
        last = self.bars[-1] if self.bars else None
        upper = [] if last is None or last.high is None else [last.high]
        return [bar.low for bar in self.bars] + upper


def histogram(name: str, chosen: BrowseFilter) -> Histogram:
    """Return the histogram along the range called `name`, of what the rest of the filter matches."""
    ladder = RANGES[name]
    sets = Sets(chosen.having(f"{name}_min").having(f"{name}_max"), read())
    device = sets.chosen.elsewhere if f"{name}_min" in ON_DEVICE else ""
    counts = along_evidence_on(device, ladder, sets) if device else along(ladder, sets)
    return Histogram(ladder, trimmed(ladder, counts), sum(counts), sets.cut_short, device)


def along(ladder: Range, sets: Sets) -> list[int]:
    """Return the rows of each bin: those from its edge on, less those from the next edge on."""
    matching = sets.matching()
    from_edge = [
        size(both(sets.reading.bounded(ladder.name, edge, is_min=True, strict=False), matching))
        for edge in ladder.edges
    ]
    return [here - beyond for here, beyond in zip(from_edge, [*from_edge[1:], 0], strict=True)]


def along_evidence_on(device: str, ladder: Range, sets: Sets) -> list[int]:
    """Return the rows of each bin by their numbers on this device, counted in one query."""
    samples: Any = sets.rows().with_evidence_on(device).annotate(ratio_there=claim_ratio_of("speedup_there"))
    name = f"{ladder.name}_there"
    below = [When(**{f"{name}__lt": edge}, then=Value(at)) for at, edge in enumerate(ladder.edges[1:])]
    binned = samples.filter(**{f"{name}__isnull": False}).annotate(
        bin=Case(*below, default=Value(len(below)))
    )
    counts = dict(binned.order_by().values_list("bin").annotate(n=Count("pk")))
    return [counts.get(at, 0) for at in range(len(ladder.edges))]


def trimmed(ladder: Range, counts: list[int]) -> list[Bar]:
    """Return the bars without the empty ones at both ends."""
    filled = [at for at, n in enumerate(counts) if n]
    if not filled:
        return []
    uppers = [*ladder.edges[1:], None]
    return [Bar(ladder.edges[at], uppers[at], counts[at]) for at in range(filled[0], filled[-1] + 1)]
