"""Estimates of a coefficient: its value with a bootstrap interval, or the reason why there is none."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import dataclass
from itertools import accumulate

from datasets_app.review.agreement.coefficients import Coefficient, Counted

SEED = 20261  # fixed, so that the same reviews give the same interval
RESAMPLES = 500
FEWEST_SAMPLES = 5  # below that a number would say more than the reviews do
LEVEL = 0.95
FEW_SAMPLES = 300  # resampled one by one; of more, those with the same ratings together
NORMAL_FROM = 30  # the mean from which the normal approximation of Poisson numbers is close


@dataclass(frozen=True)
class Estimate:
    """A coefficient over samples that were rated at least twice; `missing` says why there is no value."""

    samples: int
    value: float | None = None
    low: float | None = None  # the 95 % interval; None if too few resamples have a value
    high: float | None = None
    missing: str = ""


def estimate(coefficient: Coefficient, units: Counted) -> Estimate:
    """Return the coefficient with the percentile interval of resampled samples (Efron 1979)."""
    rated = {unit: times for unit, times in units.items() if len(unit) > 1}
    n = sum(rated.values())
    if n < FEWEST_SAMPLES:
        return Estimate(n, missing="not enough reviews")
    value = coefficient(rated)
    if value is None:
        return Estimate(n, missing="not defined: every rating is the same")
    low, high = interval(coefficient, rated)
    return Estimate(n, value, low, high)


def interval(coefficient: Coefficient, units: Counted) -> tuple[float, float] | tuple[None, None]:
    """Return the middle 95 % of the coefficient over resamples of the units.

    A resample in which all ratings are the same has no value. If more than half are such, there is no interval.
    """
    generator = random.Random(SEED)  # noqa: S311  (statistics, not secrets)
    drawn = (resample(generator, units) for _ in range(RESAMPLES))
    values = sorted(value for some in drawn if (value := coefficient(some)) is not None)
    if 2 * len(values) < RESAMPLES:
        return None, None
    tail = (1 - LEVEL) / 2
    return values[int(tail * (len(values) - 1))], values[-1 - int(tail * (len(values) - 1))]


def resample(generator: random.Random, units: Counted) -> Counted:
    """Draw as many units as there are, with replacement.

    Of very many, each is drawn a Poisson(1) number of times instead, so that the total varies a little (Chamandy et
    al., "Estimating uncertainty for massive data streams", 2012): those with the same ratings take one number together.
    """
    distinct = sorted(units)  # whatever the order in which they were read
    weights = list(accumulate(units[unit] for unit in distinct))
    if weights[-1] <= FEW_SAMPLES:
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
