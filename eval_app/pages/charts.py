"""Small charts as numbers: the templates draw them as SVG. Pure functions, no Django, no HTML."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

ROW_HEIGHT = 34
AXIS_HEIGHT = 22
MAX_DOTS = 240
LOG_FROM_RATIO = 6.0
STAGE_COLOURS = 6
TONES = {"passed": "good", "invalid_reference": "doubt", "unsupported": "doubt", "infra_error": "ours"}


# --- Strip plot ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Strip:
    """One side of a timing: a dot per sample, its median and its 10th to 90th percentile.

    x is in percent of the axis, y in pixels.
    """

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

    height: int
    axis_y: float
    strips: list[Strip]
    ticks: list[tuple[float, str]]
    floor_x: float | None
    claim_x: float | None
    is_log: bool


def strip_plot(
    spreads: Mapping[str, Mapping[str, Any]], floor_ms: float | None = None, claim_ms: float | None = None
) -> StripPlot:
    """Return the plot of several timings.

    `spreads` maps a label to a report's Spread (median_ms, p10_ms, p90_ms, n, samples_ms). `floor_ms` is the time
    below which no run can be; `claim_ms` is the median of the first label's strip if the claimed speedup were true.
    """
    samples = {label: thinned(spread) for label, spread in spreads.items()}
    marks = [value for value in (floor_ms, claim_ms) if value]
    low, high = span([*(value for values in samples.values() for value in values), *marks])
    is_log = high / low > LOG_FROM_RATIO
    place = scale(low, high, is_log)
    strips = [
        strip(label, spread, samples[label], place, ROW_HEIGHT * (row + 0.5))
        for row, (label, spread) in enumerate(spreads.items())
    ]
    height = ROW_HEIGHT * len(strips)
    return StripPlot(
        height=height + AXIS_HEIGHT,
        axis_y=height,
        strips=strips,
        ticks=[(place(value), in_decimals(value)) for value in tick_values(low, high, is_log)],
        floor_x=place(floor_ms) if floor_ms else None,
        claim_x=place(claim_ms) if claim_ms else None,
        is_log=is_log,
    )


def thinned(spread: Mapping[str, Any]) -> list[float]:
    """Return all samples, sorted; evenly chosen ones if there are too many to see. Never empty."""
    samples = sorted(spread.get("samples_ms") or [spread["p10_ms"], spread["median_ms"], spread["p90_ms"]])
    if len(samples) <= MAX_DOTS:
        return samples
    step = (len(samples) - 1) / (MAX_DOTS - 1)
    return [samples[round(index * step)] for index in range(MAX_DOTS)]


def span(values: Sequence[float]) -> tuple[float, float]:
    """Return the ends of the axis: all samples and marks, with some room on both sides."""
    return min(values) * 0.97, max(values) * 1.03


def scale(low: float, high: float, is_log: bool) -> Callable[[float], float]:
    """Return the function from milliseconds to percent of the axis."""

    def share(value: float) -> float:
        if is_log:
            return math.log(value / low) / math.log(high / low)
        return (value - low) / (high - low)

    return lambda value: round(100 * share(value), 2)


def strip(
    label: str, spread: Mapping[str, Any], samples: Sequence[float], place: Callable[[float], float], y: float
) -> Strip:
    """Return one strip. Its dots alternate between five heights, so that equal times do not hide each other."""
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
    """Return a percentile, moved to the edge of its own samples if a report places it outside them."""
    return min(max(value, samples[0]), samples[-1])


def tick_values(low: float, high: float, is_log: bool) -> list[float]:
    """Return round values between the ends: at most six on a logarithmic axis, or its powers of ten."""
    if is_log:
        decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        values = [step * 10.0**decade for decade in decades for step in (1, 2, 5)]
        values = [value for value in values if low <= value <= high]
        return values if len(values) <= 6 else [value for value in values if f"{value:e}"[0] == "1"]
    raw = (high - low) / 5
    step = 10.0 ** math.floor(math.log10(raw))
    step *= next(factor for factor in (1, 2, 5, 10) if raw <= factor * step)
    return [number * step for number in range(math.ceil(low / step), math.floor(high / step) + 1)]


def in_decimals(value: float) -> str:
    """Return a tick's label, without an exponent however small it is."""
    return f"{value:.3g}" if value >= 1e-4 else f"{value:.7f}".rstrip("0")


# --- Bars ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Segment:
    """One part of a bar of 100 units; `tone` is the colour of its state."""

    name: str
    count: int
    x: float
    width: float
    tone: str

    @property
    def seconds(self) -> float:
        """Return the count of a bar of milliseconds in seconds."""
        return self.count / 1000


def outcome_bar(counts: Mapping[str, int]) -> list[Segment]:
    """Return a segment per outcome by decreasing count, `passed` first."""
    ordered = sorted(counts.items(), key=lambda item: (item[0] != "passed", -item[1], item[0]))
    return bar(ordered, lambda name: TONES.get(name, "bad"))


def seconds_bar(seconds: Mapping[str, float]) -> list[Segment]:
    """Return a segment per stage in the order in which the stages ran, without the total, in milliseconds. The short
    ones of more stages than colours are one segment at the end."""
    parts = [(name, round(value * 1000)) for name, value in seconds.items() if name != "total" and value > 0]
    if len(parts) > STAGE_COLOURS:
        longest = sorted(parts, key=lambda part: part[1])[1 - STAGE_COLOURS :]
        short = [part for part in parts if part not in longest]
        others = f"other stages: {', '.join(name for name, _ in short)}"
        parts = [part for part in parts if part in longest] + [(others, sum(count for _, count in short))]
    order = {name: f"step-{number}" for number, (name, _) in enumerate(parts)}
    return bar(parts, lambda name: order[name])


def bar(parts: Sequence[tuple[str, int]], tone: Callable[[str], str]) -> list[Segment]:
    total = sum(count for _, count in parts)
    segments, x = [], 0.0
    for name, count in parts:
        width = 100 * count / total if total else 0.0
        segments.append(Segment(name, count, round(x, 2), round(width, 2), tone(name)))
        x += width
    return segments
