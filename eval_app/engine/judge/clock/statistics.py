"""Statistics of a timing: spread, paired ratios and their uncertainty. Pure functions of lists of milliseconds."""

from __future__ import annotations

import math
import random
from statistics import fmean, pstdev
from typing import Any

_RESAMPLES = 1000
_KEPT_SAMPLES = 300
# For a normal distribution the standard error of the median is 1.2533 times that of the mean, and the
# quartiles span 1.349 standard deviations.
_MEDIAN_FACTOR = 1.2533 / 1.349


def quantile(values: list[float], share: float) -> float:
    """Return the value below which `share` of `values` lie, by linear interpolation."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def median(values: list[float]) -> float:
    """Return the median."""
    return quantile(values, 0.5)


def middle(values: list[float]) -> float:
    """Return the interquartile mean, an estimate of the median.

    GPU events have a resolution of 32 ns, 1 % of a small kernel: a plain median jumps between ticks, and if
    values fall on two of them it only shows which has the majority.
    """
    ordered = sorted(values)
    cut = len(ordered) // 4
    return math.fsum(ordered[cut : len(ordered) - cut]) / (len(ordered) - 2 * cut)


def mean_of_most(values: list[float]) -> float:
    """Return the mean of the middle four fifths: of values that are multiples of a step it lies between two of them."""
    return fmean(_most(values))


def deviation_of_most(values: list[float]) -> float:
    """Return the standard deviation of the middle four fifths."""
    return pstdev(_most(values))


def _most(values: list[float]) -> list[float]:
    ordered = sorted(values)
    cut = len(ordered) // 10
    return ordered[cut : len(ordered) - cut]


def relative_error(values: list[float]) -> float:
    """Return the median's standard error over the median, from the quartiles, so that outliers do not count."""
    if len(values) < 4:
        return math.inf
    spread = quantile(values, 0.75) - quantile(values, 0.25)
    return _MEDIAN_FACTOR * spread / math.sqrt(len(values)) / median(values)


def spread(values: list[float]) -> dict[str, Any]:
    """Return the JSON form of evidence.Spread, in milliseconds."""
    return {
        "median_ms": median(values), "p10_ms": quantile(values, 0.1), "p90_ms": quantile(values, 0.9),
        "n": len(values), "samples_ms": [float(f"{value:.6g}") for value in values[:_KEPT_SAMPLES]],
    }  # fmt: skip


def speedup(reference: list[float], candidate: list[float]) -> dict[str, float]:
    """Return the `middle` of paired ratios and its 95 % percentile bootstrap interval (Efron 1979), with a
    fixed generator."""
    ratios = [r / c for r, c in zip(reference, candidate, strict=True)]
    draw = random.Random(0)  # noqa: S311
    medians = [middle(draw.choices(ratios, k=min(len(ratios), 200))) for _ in range(_RESAMPLES)]
    centre = middle(ratios)
    low, high = quantile(medians, 0.025), quantile(medians, 0.975)
    return {"median": centre, "low": min(low, centre), "high": max(high, centre)}
