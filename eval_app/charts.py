"""Small charts as numbers: the templates draw them as SVG. Pure functions, no Django, no HTML."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

WIDTH = 640
LABEL_WIDTH = 96
ROW_HEIGHT = 34
AXIS_HEIGHT = 22
MAX_DOTS = 240
LOG_FROM_RATIO = 6.0
HEAT_CELLS = 16
TONES = {"passed": "good", "invalid_reference": "doubt", "unsupported": "doubt", "infra_error": "ours"}


# --- Strip plot -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Strip:
    """One side of a timing: a dot a sample, its median and its 10th to 90th percentile; x and y in pixels."""

    label: str
    y: float
    dots: list[tuple[float, float]]
    median_x: float
    low_x: float
    high_x: float
    median_ms: float
    count: int


@dataclass(frozen=True)
class StripPlot:
    """Strips over one axis of milliseconds; logarithmic where the sides lie far apart."""

    width: int
    height: int
    axis_y: float
    strips: list[Strip]
    ticks: list[tuple[float, str]]
    floor_x: float | None
    is_log: bool


def strip_plot(spreads: Mapping[str, Mapping[str, Any]], floor_ms: float | None = None) -> StripPlot:
    """`spreads`: label to a report's Spread (median_ms, p10_ms, p90_ms, n, samples_ms)."""
    samples = {label: thinned(spread) for label, spread in spreads.items()}
    low, high = span([value for values in samples.values() for value in values], floor_ms)
    is_log = high / low > LOG_FROM_RATIO
    place = scale(low, high, is_log)
    strips = [
        strip(label, spread, samples[label], place, ROW_HEIGHT * (row + 0.5))
        for row, (label, spread) in enumerate(spreads.items())
    ]
    height = ROW_HEIGHT * len(strips)
    return StripPlot(
        width=WIDTH,
        height=height + AXIS_HEIGHT,
        axis_y=height,
        strips=strips,
        ticks=[(place(value), f"{value:.3g}") for value in tick_values(low, high, is_log)],
        floor_x=place(floor_ms) if floor_ms else None,
        is_log=is_log,
    )


def thinned(spread: Mapping[str, Any]) -> list[float]:
    """Every sample, or evenly chosen ones of the sorted where there are too many to see; never none."""
    samples = sorted(spread.get("samples_ms") or [spread["p10_ms"], spread["median_ms"], spread["p90_ms"]])
    if len(samples) <= MAX_DOTS:
        return samples
    step = (len(samples) - 1) / (MAX_DOTS - 1)
    return [samples[round(index * step)] for index in range(MAX_DOTS)]


def span(values: Sequence[float], floor_ms: float | None) -> tuple[float, float]:
    """The axis: all samples and the floor, with a little room on both sides."""
    inside = [*values, floor_ms] if floor_ms else values
    return min(inside) * 0.97, max(inside) * 1.03


def scale(low: float, high: float, is_log: bool) -> Callable[[float], float]:
    """Milliseconds to pixels."""

    def share(value: float) -> float:
        if is_log:
            return math.log(value / low) / math.log(high / low)
        return (value - low) / (high - low)

    return lambda value: round(LABEL_WIDTH + share(value) * (WIDTH - LABEL_WIDTH - 12), 1)


def strip(
    label: str, spread: Mapping[str, Any], samples: Sequence[float], place: Callable[[float], float], y: float
) -> Strip:
    """Dots are spread over five heights in turn, so that equal times do not hide each other."""
    dots = [(place(value), round(y + (index * 2 % 5 - 2) * 3.2, 1)) for index, value in enumerate(samples)]
    return Strip(
        label,
        y,
        dots,
        place(clamped(spread["median_ms"], samples)),
        place(clamped(spread["p10_ms"], samples)),
        place(clamped(spread["p90_ms"], samples)),
        spread["median_ms"],
        spread["n"],
    )


def clamped(value: float, samples: Sequence[float]) -> float:
    """A percentile that a report states outside its own samples is drawn at their edge."""
    return min(max(value, samples[0]), samples[-1])


def tick_values(low: float, high: float, is_log: bool) -> list[float]:
    """Four to nine round values between the ends."""
    if is_log:
        decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        values = [step * 10.0**decade for decade in decades for step in (1, 2, 5)]
        values = [value for value in values if low <= value <= high]
        return values if len(values) <= 9 else [value for value in values if f"{value:e}"[0] == "1"]
    raw = (high - low) / 5
    step = 10.0 ** math.floor(math.log10(raw))
    step *= next(factor for factor in (1, 2, 5, 10) if raw <= factor * step)
    return [number * step for number in range(math.ceil(low / step), math.floor(high / step) + 1)]


# --- Heat map ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class HeatMap:
    """Where the named mismatches lie over the last two dimensions of one output."""

    output: str
    rows: int  # extent seen: the largest index and one
    columns: int
    cells: list[
        tuple[int, int, int]
    ]  # row, column of a grid of at most HEAT_CELLS squared, and the level 1 to 4
    grid_rows: int
    grid_columns: int
    count: int


def heat_map(mismatches: Sequence[Mapping[str, Any]]) -> HeatMap | None:
    """None where there is nothing to place: no mismatch, or scalar outputs."""
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
    most = max(counts.values())
    cells = [(row, column, math.ceil(4 * n / most)) for (row, column), n in sorted(counts.items())]
    return HeatMap(first, rows, columns, cells, grid_rows, grid_columns, len(places))


def flat(index: Sequence[int]) -> tuple[int, int]:
    """The last two dimensions; a vector is one row. Negative numbers, which no engine writes, count as 0."""
    padded = [0, *index]
    return max(0, padded[-2]), max(0, padded[-1])


# --- Bars -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Segment:
    """One part of a bar of 100 units; `tone` is the colour of its state."""

    name: str
    count: int
    x: float
    width: float
    tone: str


def outcome_bar(counts: Mapping[str, int]) -> list[Segment]:
    """Outcomes by how many, passed first."""
    ordered = sorted(counts.items(), key=lambda item: (item[0] != "passed", -item[1], item[0]))
    return bar(ordered, lambda name: TONES.get(name, "bad"))


def seconds_bar(seconds: Mapping[str, float]) -> list[Segment]:
    """Seconds by stage, in the order that they passed; the total is the whole, not a part."""
    parts = [(name, round(value * 1000)) for name, value in seconds.items() if name != "total" and value > 0]
    order = {name: f"step-{number % 5}" for number, (name, _) in enumerate(parts)}
    return bar(parts, lambda name: order[name])


def bar(parts: Sequence[tuple[str, int]], tone: Callable[[str], str]) -> list[Segment]:
    total = sum(count for _, count in parts)
    segments, x = [], 0.0
    for name, count in parts:
        width = 100 * count / total if total else 0.0
        segments.append(Segment(name, count, round(x, 2), round(width, 2), tone(name)))
        x += width
    return segments
