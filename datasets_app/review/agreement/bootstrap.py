"""Estimates of a coefficient: its value with a bootstrap interval, or the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass

from datasets_app.resampling import interval
from datasets_app.review.agreement.coefficients import Coefficient, Counted

FEWEST_SAMPLES = 5  # below that a number would say more than the reviews do


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
