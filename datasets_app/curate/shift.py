"""How what two recipes choose differs: trace lengths, measured speedups and kinds of task, as shares of each side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from datasets_app.curate.row import Row
from datasets_app.export.bins import SPEEDUP_EDGES, TOKEN_EDGES, bin_of, labels
from datasets_app.syntax.task_kinds import TaskKind


@dataclass(frozen=True)
class Shift:
    """One property of the rows of both sides: the number of rows in each group. Kinds have no median."""

    name: str  # lengths, speedups, kinds
    groups: list[str]
    one: list[int]
    other: list[int]
    medians: tuple[float | None, float | None] = (None, None)

    @property
    def sizes(self) -> tuple[int, int]:
        """Return how many rows of each side have a value."""
        return sum(self.one), sum(self.other)

    def shares(self) -> tuple[list[float], list[float]]:
        """Return each group's percentage of its side."""
        one, other = (
            [100 * count / max(1, size) for count in counts]
            for counts, size in zip((self.one, self.other), self.sizes, strict=True)
        )
        return one, other


def shifts(one: Sequence[Row], other: Sequence[Row]) -> list[Shift]:
    """Return the three shifts between the rows of two selections."""
    return [
        numbers(
            "lengths",
            TOKEN_EDGES,
            [float(row.trace_tokens) for row in one if row.trace_tokens is not None],
            [float(row.trace_tokens) for row in other if row.trace_tokens is not None],
        ),
        numbers("speedups", SPEEDUP_EDGES, speedups(one), speedups(other)),
        kinds(one, other),
    ]


def speedups(rows: Sequence[Row]) -> list[float]:
    return [
        row.measured_speedup for row in rows if row.outcome == "passed" and row.measured_speedup is not None
    ]


def numbers(name: str, edges: Sequence[float], one: list[float], other: list[float]) -> Shift:
    """Return values in bins."""
    medians = (median(one) if one else None, median(other) if other else None)
    return Shift(name, labels(edges), binned(edges, one), binned(edges, other), medians)


def binned(edges: Sequence[float], values: list[float]) -> list[int]:
    counts = [0] * (len(edges) + 1)
    for value in values:
        counts[bin_of(edges, value)] += 1
    return counts


def kinds(one: Sequence[Row], other: Sequence[Row]) -> Shift:
    """Return the task mix: the kinds that either side has, the most frequent first."""
    counts = [[sum(row.kind == kind for row in side) for kind in TaskKind.values] for side in (one, other)]
    found = [at for at in range(len(TaskKind.values)) if counts[0][at] or counts[1][at]]
    found.sort(key=lambda at: (-counts[0][at] - counts[1][at], at))
    names = [str(TaskKind(TaskKind.values[at]).label).lower() for at in found]
    return Shift("kinds", names, [counts[0][at] for at in found], [counts[1][at] for at in found])
