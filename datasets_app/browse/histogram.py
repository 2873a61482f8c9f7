"""How the samples of a filter lie along a number: a small histogram to set a range by.

Bins follow the ladder 1, 1.5, 2, 3, 4, 5, 7, 10 of round numbers, so that a range that is dragged is one that a
person would have typed. The database groups by slots much finer than the ladder; they are folded here.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, FloatField, Func, IntegerField, Value
from django.db.models.functions import Cast, Least

from datasets_app.browse.filter import BrowseFilter

BAR_WIDTH, BAR_HEIGHT = 10, 40
STEPS = (1, 1.5, 2, 3, 4, 5, 7)


@dataclass(frozen=True)
class Range:
    """`slot` is the width of the database's groups; values from `last` on are one group."""

    name: str  # of the filter's bounds
    lookup: str
    label: str
    unit: str
    slot: float
    first_decade: int
    last_decade: int

    @property
    def edges(self) -> list[float]:
        decades = range(self.first_decade, self.last_decade)
        return [0.0, *(float(f"{step}e{d}") for d in decades for step in STEPS), 10.0**self.last_decade]


RANGES = {
    one.name: one
    for one in (
        Range("tokens", "trace_tokens", "Trace", "tokens", 5, 1, 5),
        Range("speedup", "measured_speedup", "Measured", "×", 0.01, -1, 2),
        Range("claimed", "claimed_speedup", "Claimed", "×", 0.01, -1, 2),
    )
}


class Slot(Func):
    """Down to a whole number. A cast cuts on SQLite and rounds on PostgreSQL, where floor() is native."""

    output_field = IntegerField()
    template = "CAST(%(expressions)s AS integer)"

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> tuple[str, Any]:
        return super().as_sql(
            compiler, connection, template="CAST(floor(%(expressions)s) AS integer)", **context
        )


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
    """A bar as it is drawn; a single row is still to be seen."""

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

    @property
    def tallest(self) -> int:
        return max((bar.count for bar in self.bars), default=0)

    @property
    def width(self) -> int:
        """Of the drawing: ten units a bar, which is forty high."""
        return BAR_WIDTH * len(self.bars)

    @property
    def shapes(self) -> list[Shape]:
        return [Shape.of(at, bar, self.tallest) for at, bar in enumerate(self.bars)]

    @property
    def is_open(self) -> bool:
        """Whether the last bar has no upper bound."""
        return bool(self.bars) and self.bars[-1].high is None

    @property
    def edges(self) -> list[float]:
        """The bars' lower ends, then the upper end of the last (where it has none, its lower end again)."""
        last = self.bars[-1] if self.bars else None
        upper = [] if last is None or last.high is None else [last.high]
        return [bar.low for bar in self.bars] + upper


def histogram(name: str, chosen: BrowseFilter) -> Histogram:
    """Counts along the range called `name`, of what the rest of the filter matches; one query."""
    ladder = RANGES[name]
    rows = chosen.queryset(without=[f"{name}_min", f"{name}_max"]).filter(
        **{f"{ladder.lookup}__isnull": False}
    )
    number = Cast(F(ladder.lookup), FloatField())
    # Half a thousandth of a slot keeps 0.3 in the slot of 0.3, whatever its last binary digit says.
    slot = Slot(Least(number, Value(ladder.edges[-1])) / Value(float(ladder.slot)) + Value(0.0005))
    found = rows.annotate(slot=slot).order_by().values_list("slot").annotate(n=Count("pk"))
    counts = folded(ladder, dict(found))
    return Histogram(ladder, trimmed(ladder, counts), sum(counts))


def folded(ladder: Range, slots: dict[int, int]) -> list[int]:
    """Rows of each bin of the ladder."""
    edges = ladder.edges
    counts = [0] * len(edges)
    for slot, n in slots.items():
        counts[bisect_right(edges, slot * ladder.slot + ladder.slot / 1000) - 1] += n
    return counts


def trimmed(ladder: Range, counts: list[int]) -> list[Bar]:
    """Without the empty bins at both ends."""
    filled = [at for at, n in enumerate(counts) if n]
    if not filled:
        return []
    uppers = [*ladder.edges[1:], None]
    return [Bar(ladder.edges[at], uppers[at], counts[at]) for at in range(filled[0], filled[-1] + 1)]
