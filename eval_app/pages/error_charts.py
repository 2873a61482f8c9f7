"""Positions and sizes of errors as numbers that the templates draw. Pure functions, no Django, no HTML."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

HEAT_CELLS = 16
LEVELS = 4
WIDTH, HEIGHT, AXIS_HEIGHT = 320, 96, 18


@dataclass(frozen=True)
class HeatMap:
    """Mismatches over the last two dimensions of one output, folded into a grid."""

    output: str
    caption: str
    grid_rows: int
    grid_columns: int
    cells: list[tuple[int, int, int]]  # row and column in the grid, and the level 1 to LEVELS


def heat_map(correctness: Mapping[str, Any]) -> HeatMap | None:
    """Return the map of the engine, else one of the mismatches that it lists; None if no position is known."""
    drawn = correctness.get("mismatch_map")
    return folded_map(drawn) if drawn else named_map(correctness.get("mismatches") or [])


def folded_map(drawn: Mapping[str, Any]) -> HeatMap | None:
    """Return the engine's own map, which counts every wrong element of the worst output per cell, row by row."""
    columns = drawn["columns"]
    counts = {divmod(at, columns): n for at, n in enumerate(drawn["counts"]) if n > 0}
    if not counts:
        return None
    shape = "\N{MULTIPLICATION SIGN}".join(map(str, drawn["shape"])) or "a scalar"
    wrong = sum(counts.values())
    which = f"All {wrong:,} wrong elements" if wrong != 1 else "The one wrong element"
    caption = f"{which} of {drawn['output']} ({shape})"
    return HeatMap(drawn["output"], caption, drawn["rows"], columns, leveled(counts))


def named_map(mismatches: Sequence[Mapping[str, Any]]) -> HeatMap | None:
    first = mismatches[0]["output"] if mismatches else ""
    places = [flat(item["index"]) for item in mismatches if item["output"] == first and item["index"]]
    if not places:
        return None
    rows, columns = max(row for row, _ in places) + 1, max(column for _, column in places) + 1
    grid_rows, grid_columns = min(rows, HEAT_CELLS), min(columns, HEAT_CELLS)
    counts: dict[tuple[int, int], int] = {}
    for row, column in places:
        cell = (row * grid_rows // rows, column * grid_columns // columns)
        counts[cell] = counts.get(cell, 0) + 1
    caption = (
        f"The first {len(places)} over the last two dimensions of {first}, "
        f"as far as index [{rows - 1}, {columns - 1}]"
    )
    return HeatMap(first, caption, grid_rows, grid_columns, leveled(counts))


def leveled(counts: Mapping[tuple[int, int], int]) -> list[tuple[int, int, int]]:
    most = max(counts.values())
    return [(row, column, math.ceil(LEVELS * n / most)) for (row, column), n in sorted(counts.items())]


def flat(index: Sequence[int]) -> tuple[int, int]:
    """Return the last two dimensions of an index; a vector is one row. Negative numbers, which no engine writes, count
    as 0."""
    padded = [0, *index]
    return max(0, padded[-2]), max(0, padded[-1])


# --- Errors against the tolerance ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bar:
    x: float
    y: float
    width: float
    height: float
    tone: str  # is-right; beyond the tolerance is-wrong, or is-excused of a kernel that passed
    label: str
    count: int


@dataclass(frozen=True)
class Histogram:
    """Number of elements by the ratio of their error to the tolerance; a bar per decade, heights logarithmic."""

    bars: list[Bar]
    ticks: list[tuple[float, str]]
    tolerance_x: float | None  # where the error is the tolerance; None outside the bars
    width: int = WIDTH
    height: int = HEIGHT + AXIS_HEIGHT
    axis_y: int = HEIGHT


def histogram(data: Mapping[str, Any] | None, *, passed: bool = False) -> Histogram | None:
    """Return the bars. `log10_from` is the lower end of each decade of |error| over tolerance, `counts` the elements
    in it. What is beyond the tolerance was excused if the kernel `passed`."""
    pairs = list(zip(data["log10_from"], data["counts"], strict=False)) if data else []
    most = max((count for _, count in pairs), default=0)
    if most < 1:
        return None
    step = WIDTH / len(pairs)
    beyond_tone = "is-excused" if passed else "is-wrong"
    tones = [beyond_tone if decade >= 0 else "is-right" for decade, _ in pairs]
    bars = [
        bar(at * step, step, *pair, most, tone)
        for at, (pair, tone) in enumerate(zip(pairs, tones, strict=True))
    ]
    ticks = [(round(at * step, 1), power(decade)) for at, (decade, _) in enumerate(pairs) if decade % 2 == 0]
    beyond = next((at for at, (decade, _) in enumerate(pairs) if decade >= 0), None)
    return Histogram(bars, ticks, None if beyond is None else round(beyond * step, 1))


def bar(x: float, step: float, decade: float, count: int, most: int, tone: str) -> Bar:
    height = (HEIGHT - 4) * math.log1p(count) / math.log1p(most)
    return Bar(
        x=round(x + 1, 1),
        y=round(HEIGHT - height, 1),
        width=round(step - 2, 1),
        height=round(height, 1),
        tone=tone,
        label=f"from {power(decade)} times the tolerance",
        count=count,
    )


def power(decade: float) -> str:
    """Return a power of ten in superscript: 10⁻³."""
    digits = str.maketrans("-.0123456789", "⁻·⁰¹²³⁴⁵⁶⁷⁸⁹")
    return "10" + f"{decade:g}".translate(digits)
