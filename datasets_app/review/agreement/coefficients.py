"""Coefficients of agreement between raters: 1 is perfect, 0 is what chance would give, below 0 is worse than chance.

Each takes units (here: samples) counted by their ratings: `{(1, 1, 2): 4}` is four samples that two raters rated 1
and a third one 2. Each returns None where it is not defined: without two ratings of one unit, and where every rating
is the same, because then chance alone would agree always.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import combinations

Unit = tuple[int, ...]  # one unit's ratings, at most one per rater
Counted = Mapping[Unit, int]  # units by their ratings
Coefficient = Callable[[Counted], float | None]
DISTINCT = 4096  # units whose parts are cached: a bootstrap meets the same ones in every resample


@lru_cache(DISTINCT)
def value_counts(unit: Unit) -> tuple[tuple[int, int], ...]:
    return tuple(Counter(unit).items())


@lru_cache(DISTINCT)
def same_share(unit: Unit) -> float:
    """Return the share of pairs of raters who agree."""
    return sum(n * (n - 1) for _, n in value_counts(unit)) / (len(unit) * (len(unit) - 1))


@lru_cache(DISTINCT)
def coincidences(unit: Unit) -> tuple[tuple[tuple[int, int], float], ...]:
    """Return Krippendorff's coincidences of two different values, the lower one first."""
    return tuple(
        ((a, b), of_a * of_b / (len(unit) - 1))
        for (a, of_a), (b, of_b) in combinations(sorted(value_counts(unit)), 2)
    )


def cohen_kappa(pairs: Counted) -> float | None:
    """Return Cohen's kappa of two raters; each unit is (rating of the first, rating of the second).

    J. Cohen, "A coefficient of agreement for nominal scales", Educational and Psychological Measurement 20 (1960):
    (p_o - p_e) / (1 - p_e), where p_e is the agreement of two raters with the same shares who rate independently.
    """
    n = sum(pairs.values())
    first: Counter[int] = Counter()
    second: Counter[int] = Counter()
    for (a, b), times in pairs.items():
        first[a] += times
        second[b] += times
    expected = sum(times * second[value] for value, times in first.items())  # times n squared
    if expected == n * n:
        return None
    observed = n * sum(times for (a, b), times in pairs.items() if a == b)
    return (observed - expected) / (n * n - expected)


def fleiss_kappa(units: Counted) -> float | None:
    """Return Fleiss' kappa of any number of raters, who may differ from unit to unit.

    J. L. Fleiss, "Measuring nominal scale agreement among many raters", Psychological Bulletin 76 (1971). For unequal
    numbers of ratings as K. L. Gwet generalises it (Handbook of Inter-Rater Reliability, 4th edition, 2014, chapter 2):
    each unit counts alike, in the agreement and in the shares of the values. Units with one rating are left out.
    """
    n = 0
    observed = 0.0  # this and `shares` are times n
    shares: defaultdict[int, float] = defaultdict(float)
    for unit, times in units.items():
        if len(unit) < 2:
            continue
        n += times
        observed += times * same_share(unit)
        for value, count in value_counts(unit):
            shares[value] += times * count / len(unit)
    if len(shares) < 2:
        return None
    expected = sum(share * share for share in shares.values()) / (n * n)
    return (observed / n - expected) / (1 - expected)


def nominal_alpha(units: Counted) -> float | None:
    """Return Krippendorff's alpha for values without an order; see `alpha`."""
    return alpha(units, lambda totals: lambda a, b: float(a != b))


def ordinal_alpha(units: Counted) -> float | None:
    """Return Krippendorff's alpha for values with an order, such as scores; see `alpha`."""
    return alpha(units, ordinal_distance)


Distance = Callable[[int, int], float]


def alpha(units: Counted, distance_for: Callable[[Mapping[int, float]], Distance]) -> float | None:
    """Return Krippendorff's alpha: 1 - observed disagreement / expected disagreement.

    K. Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), section C: any number of raters, missing
    ratings allowed. `distance_for` takes the number of ratings per value and returns the squared difference.
    """
    together: defaultdict[tuple[int, int], float] = defaultdict(
        float
    )  # two values, the lower first, of one unit
    totals: defaultdict[int, float] = defaultdict(float)
    for unit, times in units.items():
        if len(unit) < 2:
            continue
        for value, count in value_counts(unit):
            totals[value] += times * count
        for pair, share in coincidences(unit):
            together[pair] += times * share
    if len(totals) < 2:
        return None
    distance = distance_for(totals)
    distances = {(a, b): distance(a, b) for a, b in combinations(sorted(totals), 2)}
    observed = sum(times * distances[pair] for pair, times in together.items())
    expected = sum(totals[a] * totals[b] * apart for (a, b), apart in distances.items())
    return 1 - (sum(totals.values()) - 1) * observed / expected


def ordinal_distance(totals: Mapping[int, float]) -> Distance:
    """Return the ordinal difference: the ratings between two values, each end counted by half, squared."""

    def distance(a: int, b: int) -> float:
        low, high = min(a, b), max(a, b)
        between = sum(n for value, n in totals.items() if low <= value <= high)
        return (between - (totals[a] + totals[b]) / 2) ** 2

    return distance
