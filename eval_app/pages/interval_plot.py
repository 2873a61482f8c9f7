"""A history's speedups on one axis: median and interval per run, as numbers for small SVGs."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from datasets_app.models import Verification

WIDTH = 120
ROOM = 4.0


@dataclass(frozen=True)
class Whisker:
    """One run's speedup in pixels from the left; `one_x`: where kernel and eager are equally fast."""

    low_x: float
    x: float
    high_x: float
    one_x: float
    width: int = WIDTH


def whiskers(rows: Sequence[Verification]) -> list[Whisker | None]:
    """Return one per row on a common logarithmic axis that includes 1.0; None for a row without a speedup."""
    ends = [bound(row, "low") for row in rows if row.speedup] + [
        bound(row, "high") for row in rows if row.speedup
    ]
    low, high = math.log(min([*ends, 0.95])), math.log(max([*ends, 1.05]))

    def place(value: float) -> float:
        share = (math.log(value) - low) / (high - low)
        return round(ROOM + (WIDTH - 2 * ROOM) * share, 1)

    return [
        Whisker(place(bound(row, "low")), place(row.speedup), place(bound(row, "high")), place(1.0))
        if row.speedup
        else None
        for row in rows
    ]


def bound(row: Verification, end: str) -> float:
    """Return one end of the interval; the speedup itself if the interval is unknown."""
    return float(getattr(row, f"speedup_{end}") or row.speedup or 1.0)
