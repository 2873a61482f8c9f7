"""Times at other sizes as a report's page shows them: rows, and the speedups on one axis."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from eval_app.pages.charts import tick_values
from eval_app.pages.interval_plot import AXIS_HEIGHT, ROW_HEIGHT
from eval_app.pages.timing_view import with_unit

LABEL_CHARS = 22
OWN = "own"


@dataclass(frozen=True)
class SizeRow:
    """One size; without times, `not_timed` says why."""

    data: Mapping[str, Any]

    @property
    def name(self) -> str:
        return "the task's own" if self.data["name"] == OWN else str(self.data["name"])

    @property
    def kind(self) -> str:
        """Return who chose the size; empty for the task's own."""
        if self.data["name"] == OWN:
            return ""
        return "declared" if self.data.get("declared") else "chosen by the engine"

    @property
    def facts(self) -> str:
        """Return the shapes of the inputs, the bytes of inputs and outputs, and who chose the size."""
        moved = with_unit(self.data["size_bytes"], "B") if self.data.get("size_bytes") else ""
        return "; ".join(fact for fact in (self.data.get("inputs"), moved, self.kind) if fact)

    @property
    def is_timed(self) -> bool:
        return self.data.get("speedup") is not None


@dataclass(frozen=True)
class SizeMark:
    """One row of the plot in pixels."""

    row: SizeRow
    label: str
    y: float
    low_x: float
    x: float
    high_x: float


@dataclass(frozen=True)
class Sizes:
    """The `sweep` of a report; false if it has none."""

    sweep: Sequence[Mapping[str, Any]]

    def __bool__(self) -> bool:
        return bool(self.sweep)

    @cached_property
    def rows(self) -> list[SizeRow]:
        """Return the task's own size, then the others from the smallest, then those that were not timed."""
        rows = [SizeRow(data) for data in self.sweep]
        return sorted(
            rows, key=lambda row: (bool(row.kind), not row.is_timed, row.data.get("size_bytes") or 0)
        )

    @property
    def others(self) -> int:
        return sum(1 for row in self.rows if row.kind)

    @cached_property
    def doubts(self) -> list[SizeRow]:
        """Return the rows whose times the judge's clock does not confirm."""
        return [row for row in self.rows if row.data.get("unconfirmed")]

    @cached_property
    def plot(self) -> SizesPlot | None:
        """Return the plot of two sizes or more."""
        timed = [row for row in self.rows if row.is_timed]
        return SizesPlot(timed) if len(timed) > 1 else None


@dataclass(frozen=True)
class SizesPlot:
    """Speedups with their intervals on a logarithmic axis that includes 1.0."""

    timed: Sequence[SizeRow]

    @cached_property
    def ends(self) -> tuple[float, float]:
        speedups = [row.data["speedup"] for row in self.timed]
        low, high = min(s["low"] for s in speedups), max(s["high"] for s in speedups)
        return min(0.97, low) * 0.98, max(1.03, high) * 1.02

    def place(self, value: float) -> float:
        low, high = self.ends
        return round(100 * math.log(value / low) / math.log(high / low), 2)

    @property
    def one_x(self) -> float:
        return self.place(1.0)

    @property
    def ticks(self) -> list[tuple[float, str]]:
        low, high = self.ends
        return [(self.place(value), f"{value:.3g}×") for value in tick_values(low, high, high / low > 3)]

    @property
    def axis_y(self) -> int:
        return ROW_HEIGHT * len(self.timed)

    @property
    def height(self) -> int:
        return self.axis_y + AXIS_HEIGHT

    @property
    def marks(self) -> list[SizeMark]:
        return [
            SizeMark(
                row, shortened(row.name), ROW_HEIGHT * (at + 0.6),
                *(self.place(row.data["speedup"][end]) for end in ("low", "median", "high")),
            )
            for at, row in enumerate(self.timed)
        ]  # fmt: skip


def shortened(name: str) -> str:
    return name if len(name) <= LABEL_CHARS else f"{name[: LABEL_CHARS - 1]}…"
