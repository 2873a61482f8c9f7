"""The roofline as numbers for an SVG: the device's peaks over operations per byte, and every timed side as a point.

Both axes are logarithmic. Pure functions, no Django, no HTML.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

HEIGHT, TOP, BOTTOM = 250, 12, 34  # room above and below the plot; the style sheet leaves it on both sides
LABEL_STEP = 15.0  # between two labels, so that equally fast sides can both be read
Place = tuple[float, float]  # x in percent of the axis, y in pixels
PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


@dataclass(frozen=True)
class Point:
    """One side; `percent` of the roof above it; x in percent of the axis. The label stands at `label_y`."""

    label: str
    x: float
    y: float
    label_y: float
    percent: float


@dataclass(frozen=True)
class RooflinePlot:
    points: list[Point]
    roof: list[tuple[Place, Place]]  # its two lines: along the bandwidth, then along the peak rate
    x_ticks: list[tuple[float, str]]
    y_ticks: list[tuple[float, str]]
    intensity: float  # operations per byte
    height: int = HEIGHT
    top: int = TOP
    bottom: int = HEIGHT - BOTTOM


def roofline_plot(roofline: Mapping[str, Any], medians_ms: Mapping[str, float]) -> RooflinePlot | None:
    """Return the plot of a report's roofline; None unless all operations, the bytes and both peaks are known.

    `medians_ms` maps a side's label to its time. All sides do the task's operations on the task's bytes.
    """
    moved, products, memory_ms, compute_ms = (
        float(roofline.get(name) or 0.0) for name in ("bytes", "flops", "memory_ms", "compute_ms")
    )
    operations = products + float(roofline.get("other_flops") or 0.0)
    # Reports of earlier engines state no peak: it is what the floor of their products was computed with.
    peak = float(roofline.get("flops_per_s") or 0.0) or (products / compute_ms * 1e3 if compute_ms else 0.0)
    known = all(0 < value < math.inf for value in (moved, operations, memory_ms, peak))
    if not known or roofline.get("uncounted") or not medians_ms:
        return None
    bandwidth = moved / memory_ms * 1e3
    intensity, ridge = operations / moved, peak / bandwidth
    rates = {label: operations / ms * 1e3 for label, ms in medians_ms.items() if ms > 0}
    low_x, high_x = min(intensity, ridge) / 16, max(intensity, ridge) * 16
    low_y, high_y = min([*rates.values(), bandwidth * low_x]) / 1.6, max([peak, *rates.values()]) * 1.6
    across = log_scale(low_x, high_x, 0, 100)
    up = log_scale(low_y, high_y, HEIGHT - BOTTOM, TOP)
    roof = min(peak, bandwidth * intensity)
    corners = [(low_x, bandwidth * low_x), (ridge, peak), (high_x, peak)]
    return RooflinePlot(
        points=list(placed(rates, across(intensity), up, roof)),
        roof=list(itertools.pairwise((across(x), up(y)) for x, y in corners)),
        x_ticks=[(across(value), f"{value:g}") for value in decades(low_x, high_x)],
        y_ticks=[(up(value), rate_words(value)) for value in decades(low_y, high_y)],
        intensity=intensity,
    )


def log_scale(low: float, high: float, start: float, end: float) -> Callable[[float], float]:
    """Return the function from a value to its place between `start` and `end`."""
    return lambda value: round(start + (end - start) * math.log(value / low) / math.log(high / low), 1)


def placed(rates: Mapping[str, float], x: float, up: Callable[[float], float], roof: float) -> list[Point]:
    """Return the points in their order, fastest labels first, with labels that do not cover each other."""
    points, free = [], -math.inf
    for label, rate in sorted(rates.items(), key=lambda item: -item[1]):
        free = max(up(rate), free + LABEL_STEP)
        points.append(Point(label, x, up(rate), free, 100 * rate / roof))
    overflow = max(0.0, points[-1].label_y - (HEIGHT - BOTTOM)) if points else 0.0
    return [
        Point(point.label, point.x, point.y, round(point.label_y - overflow, 1), point.percent)
        for point in points
    ]


def decades(low: float, high: float) -> list[float]:
    """Return powers of ten between the ends; every other one, or fewer, of more than six."""
    powers = range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)
    return [10.0**power for power in powers[:: 1 + len(powers) // 6]]


def rate_words(value: float) -> str:
    factor, prefix = next(((factor, prefix) for factor, prefix in PREFIXES if value >= factor), (1.0, ""))
    return f"{value / factor:g} {prefix}FLOP/s"
