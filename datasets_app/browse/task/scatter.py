"""A small scatter plot as numbers for an SVG: speedup (log scale) against trace length. Pure."""

import math
from dataclasses import dataclass

WIDTH, HEIGHT = 560, 260
LEFT, RIGHT, TOP, BOTTOM = 46, 12, 10, 34
SPEEDUP_TICKS = [2.0**power for power in range(-10, 11)]


@dataclass(frozen=True)
class Point:
    x: int
    y: float
    measured: bool
    url: str
    name: str


@dataclass(frozen=True)
class Mark:
    """A point as drawn; `leads`: no other is both shorter and faster."""

    cx: float
    cy: float
    point: Point
    leads: bool


@dataclass(frozen=True)
class Tick:
    at: float
    text: str


@dataclass(frozen=True)
class Scatter:
    marks: list[Mark]
    x_ticks: list[Tick]
    y_ticks: list[Tick]
    front: str  # the SVG points of the Pareto front
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    bottom: int = HEIGHT - BOTTOM
    top: int = TOP


def scatter(points: list[Point]) -> Scatter:
    most_x = nice_ceiling(max(point.x for point in points))
    low, high = log_range([point.y for point in points])

    def across(x: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * x / most_x, 1)

    def up(y: float) -> float:
        share = (math.log2(y) - low) / (high - low)
        return round(HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * share, 1)

    leading = front(points)
    marks = [Mark(across(point.x), up(point.y), point, point in leading) for point in points]
    x_ticks = [Tick(across(most_x * part / 4), f"{most_x * part / 4:,.0f}") for part in range(5)]
    y_ticks = [Tick(up(y), f"{y:g}×") for y in SPEEDUP_TICKS if low <= math.log2(y) <= high]
    line = " ".join(
        f"{across(point.x)},{up(point.y)}" for point in sorted(leading, key=lambda point: point.x)
    )
    return Scatter(marks, x_ticks, thinned(y_ticks), line)


def nice_ceiling(number: float) -> float:
    """Return the next of 1, 2, 4, 6, 8, 10 times a power of ten, and at least 100."""
    number = max(100.0, number)
    scale = 10.0 ** math.floor(math.log10(number))
    return next(step * scale for step in (1, 2, 4, 6, 8, 10) if step * scale >= number)


def log_range(values: list[float]) -> tuple[float, float]:
    """Return whole powers of two around the values and around 1, the point of equal speed."""
    logs = [min(10.0, max(-10.0, math.log2(value))) for value in values]
    return math.floor(min([*logs, -1])), math.ceil(max([*logs, 1]))


def thinned(ticks: list[Tick]) -> list[Tick]:
    step = math.ceil(len(ticks) / 7)
    unit = next((at for at, tick in enumerate(ticks) if tick.text == "1×"), 0)
    return [tick for at, tick in enumerate(ticks) if (at - unit) % step == 0]


def front(points: list[Point]) -> list[Point]:
    """Return the Pareto front of the measured points: the shortest traces for their speed."""
    best = 0.0
    leading = []
    for point in sorted((p for p in points if p.measured), key=lambda p: (p.x, -p.y)):
        if point.y > best:
            best = point.y
            leading.append(point)
    return leading
