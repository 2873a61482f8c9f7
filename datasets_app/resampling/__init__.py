"""Draws with replacement, for bootstrap intervals (Efron 1979): of agreement, of metrics over tasks."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import accumulate
from typing import Any, TypeVar

Unit = TypeVar("Unit", bound=Any)  # sortable, so that the order in which units were read changes nothing

SEED = 20261  # fixed, so that the same units give the same interval
RESAMPLES = 500
LEVEL = 0.95
FEW = 300  # units that are drawn one by one; of more, equal ones together
NORMAL_FROM = 30  # the mean from which the normal approximation of Poisson numbers is close


def interval(
    statistic: Callable[[Mapping[Unit, int]], float | None], units: Mapping[Unit, int]
) -> tuple[float, float] | tuple[None, None]:
    """Return the middle 95 % of a statistic over resamples of the units, given with how often each occurs.

    A resample may have no value. If more than half have none, there is no interval.
    """
    values = [value for some in resamples(units) if (value := statistic(some)) is not None]
    return (None, None) if 2 * len(values) < RESAMPLES else middle(values)


def middle(values: Iterable[float]) -> tuple[float, float]:
    """Return the ends of the middle 95 % of values."""
    ordered = sorted(values)
    tail = int((1 - LEVEL) / 2 * (len(ordered) - 1))
    return ordered[tail], ordered[-1 - tail]


def resamples(units: Mapping[Unit, int]) -> Iterator[Mapping[Unit, int]]:
    """Yield RESAMPLES resamples of the units."""
    generator = random.Random(SEED)  # noqa: S311  (statistics, not secrets)
    return (resample(generator, units) for _ in range(RESAMPLES))


def resample(generator: random.Random, units: Mapping[Unit, int]) -> Mapping[Unit, int]:
    """Draw as many units as there are, with replacement.

    Of very many, each is drawn a Poisson(1) number of times instead, so that the total varies a little (Chamandy et
    al., "Estimating uncertainty for massive data streams", 2012): equal ones take one number together.
    """
    distinct = sorted(units)
    weights = list(accumulate(units[unit] for unit in distinct))
    if weights[-1] <= FEW:
        return Counter(generator.choices(distinct, cum_weights=weights, k=weights[-1]))
    drawn = {unit: poisson(generator, units[unit]) for unit in distinct}
    return {unit: times for unit, times in drawn.items() if times}


def poisson(generator: random.Random, mean: int) -> int:
    """Return a Poisson number: by the gaps between arrivals, or by the normal approximation for a large mean."""
    if mean > NORMAL_FROM:
        return max(0, round(generator.gauss(mean, math.sqrt(mean))))
    arrivals, at = 0, generator.expovariate(1)
    while at <= mean:
        arrivals, at = arrivals + 1, at + generator.expovariate(1)
    return arrivals
