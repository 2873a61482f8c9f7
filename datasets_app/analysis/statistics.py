"""Correlation with its p-value, and the interval of a share: written out, so that no page needs numpy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

Z_95 = 1.959963984540054


@dataclass(frozen=True)
class Correlation:
    """Pearson's r of x and y, with the least-squares line y = intercept + slope x."""

    n: int
    r: float
    p: float  # two-sided
    slope: float
    intercept: float


def correlate(n: int, mean_x: float, mean_y: float, sxx: float, syy: float, sxy: float) -> Correlation | None:
    """Return the correlation from count, means and centred sums of squares and products; None if r is not defined."""
    if n < 3 or sxx <= 0 or syy <= 0:
        return None
    r = max(-1.0, min(1.0, sxy / math.sqrt(sxx * syy)))
    slope = sxy / sxx
    return Correlation(n, r, p_value(r, n), slope, mean_y - slope * mean_x)


def p_value(r: float, n: int) -> float:
    """Return the two-sided p of Pearson's r under no correlation: Student's t with n - 2 degrees of freedom.

    With t^2 = r^2 df / (1 - r^2), p = I_{df / (df + t^2)}(df / 2, 1 / 2) = I_{1 - r^2}(df / 2, 1 / 2).
    """
    return incomplete_beta((n - 2) / 2, 0.5, 1 - r * r)


def incomplete_beta(a: float, b: float, x: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b) (Numerical Recipes, 6.4)."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    if x < (a + 1) / (a + b + 2):
        return math.exp(log_front) * beta_fraction(a, b, x) / a
    return 1 - math.exp(log_front) * beta_fraction(b, a, 1 - x) / b


def beta_fraction(a: float, b: float, x: float) -> float:
    """Evaluate the continued fraction of the incomplete beta function by Lentz's method."""
    tiny = 1e-300
    c, d = 1.0, 1 / away_from_zero(1 - (a + b) * x / (a + 1), tiny)
    value = d
    for m in range(1, 500):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / away_from_zero(1 + numerator * d, tiny)
            c = away_from_zero(1 + numerator / c, tiny)
            value *= c * d
        if abs(c * d - 1) < 1e-14:
            break
    return value


def away_from_zero(value: float, tiny: float) -> float:
    return value if abs(value) > tiny else tiny


def wilson(hits: float, n: int) -> tuple[float, float]:
    """Return the 95 % interval of a share of `hits` in `n` (Wilson's score interval); (0, 1) for n = 0."""
    if not n:
        return 0.0, 1.0
    share, z2 = hits / n, Z_95 * Z_95
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = Z_95 * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    return max(0.0, middle - half), min(1.0, middle + half)


def quantile(counted: Sequence[tuple[float, int]], share: float) -> float:
    """Return the quantile of values given as (value, count), in order; linear between two neighbours.

    As in R's type 7 and NumPy's default: the value at place (n - 1) * share, counted from 0.
    """
    n = sum(times for _, times in counted)
    place = (n - 1) * share
    low, fraction = int(place), place - int(place)
    first = value_at(counted, low)
    return first if not fraction else first + fraction * (value_at(counted, low + 1) - first)


def value_at(counted: Sequence[tuple[float, int]], place: int) -> float:
    passed = 0
    for value, times in counted:
        passed += times
        if place < passed:
            return value
    raise IndexError(f"there is no value at place {place} of {passed}")
