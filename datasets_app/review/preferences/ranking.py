"""Bradley-Terry: strengths of samples from comparisons of pairs, with intervals.

The chance that i is preferred to j is s_i / (s_i + s_j) (Bradley and Terry 1952). A tie is half a win for each side.
Prior: each sample also won `PRIOR` and lost `PRIOR` comparisons against an imagined average opponent of strength 1, so
that a sample which won everything has a finite strength, and samples that were never compared with each other have
strengths on one scale. The fit is Newton's method on the logarithms: Hunter's MM algorithm (2004) moves all strengths
together so slowly, where the prior weighs little, that it ends before the maximum.
Intervals: normal, of the logarithm, from the observed information of that likelihood.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

PRIOR = 0.5
NORMAL_95 = 1.959964  # standard errors on each side of a 95 % interval
MOST_ROUNDS = 2_000
LONGEST_STEP = 1.0  # of a logarithm of a strength, per round of Newton's method
CLOSE = 1e-9  # relative change of every strength at which the fit ends

Item = TypeVar("Item", bound=Hashable)
Score = tuple[Item, Item, float]  # one, another, and what the first one won: 1, 0, or 0.5 for a tie
Counts = dict[int, dict[int, float]]
Matrix = list[list[float]]


@dataclass(frozen=True)
class Strength:
    """The strength of an item, 1 for the average opponent, with a 95 % interval; and its comparisons."""

    value: float
    low: float
    high: float
    won: int
    tied: int
    lost: int

    @property
    def comparisons(self) -> int:
        return self.won + self.tied + self.lost

    @property
    def chance(self) -> float:
        """Return the chance of being preferred to the average opponent, 0 to 1."""
        return self.value / (1 + self.value)

    @property
    def chance_low(self) -> float:
        return self.low / (1 + self.low)

    @property
    def chance_high(self) -> float:
        return self.high / (1 + self.high)


def ranked(scores: Iterable[Score[Item]]) -> list[tuple[Item, Strength]]:
    """Return the items by strength, the strongest first; equal ones in the order in which they were given."""
    scores = list(scores)
    items = list(dict.fromkeys(item for score in scores for item in score[:2]))
    place = {item: index for index, item in enumerate(items)}
    met, won = tally([(place[one], place[other], share) for one, other, share in scores], len(items))
    strengths = fitted(met, won, PRIOR)
    errors = standard_errors(met, strengths, PRIOR)
    ways = tallied_outcomes(scores)
    rows = [
        (item, interval_of(value, error, ways[item]))
        for item, value, error in zip(items, strengths, errors, strict=True)
    ]
    return sorted(rows, key=lambda row: -round(row[1].value, 6))


def interval_of(value: float, error: float, ways: list[int]) -> Strength:
    factor = math.exp(NORMAL_95 * error)
    return Strength(value, value / factor, value * factor, *ways)


def tallied_outcomes(scores: Iterable[Score[Item]]) -> dict[Item, list[int]]:
    """Return the numbers of won, tied and lost comparisons per item."""
    ways: dict[Item, list[int]] = {}
    for one, other, share in scores:
        for item, part in ((one, share), (other, 1 - share)):
            ways.setdefault(item, [0, 0, 0])[0 if part > 0.5 else 1 if part == 0.5 else 2] += 1
    return ways


def tally(scores: Iterable[tuple[int, int, float]], count: int) -> tuple[Counts, list[float]]:
    """Return how often each two items met, and what each one won."""
    met: Counts = {index: {} for index in range(count)}
    won = [0.0] * count
    for one, other, share in scores:
        met[one][other] = met[one].get(other, 0) + 1
        met[other][one] = met[other].get(one, 0) + 1
        won[one] += share
        won[other] += 1 - share
    return met, won


def fitted(met: Mapping[int, Mapping[int, float]], won: list[float], prior: float) -> list[float]:
    """Return the strengths that maximise the likelihood under a prior above 0."""
    strengths = [1.0] * len(won)
    for _ in range(MOST_ROUNDS):
        steps = solved(cholesky(information(met, strengths, prior)), slope(met, won, strengths, prior))
        longest = max(map(abs, steps), default=0.0)
        shorten = min(1.0, LONGEST_STEP / longest) if longest else 1.0
        strengths = [value * math.exp(shorten * step) for value, step in zip(strengths, steps, strict=True)]
        if longest < CLOSE:
            break
    return strengths


def slope(
    met: Mapping[int, Mapping[int, float]], won: list[float], strengths: list[float], prior: float
) -> list[float]:
    """Return how the likelihood's logarithm changes with each strength's: wins less the expected ones."""
    return [
        won[i]
        + prior
        - 2 * prior * value / (value + 1)
        - sum(times * value / (value + strengths[j]) for j, times in met[i].items())
        for i, value in enumerate(strengths)
    ]


def standard_errors(
    met: Mapping[int, Mapping[int, float]], strengths: list[float], prior: float
) -> list[float]:
    """Return the standard error of each strength's logarithm: from the inverse of the observed information."""
    return [math.sqrt(variance) for variance in inverse_diagonal(information(met, strengths, prior))]


def information(met: Mapping[int, Mapping[int, float]], strengths: list[float], prior: float) -> Matrix:
    """Return the observed information of the strengths' logarithms: symmetric, positive definite."""
    matrix = [[0.0] * len(strengths) for _ in strengths]
    for i, value in enumerate(strengths):
        matrix[i][i] = 2 * prior * value / (value + 1) ** 2
        for j, times in met[i].items():
            weight = times * value * strengths[j] / (value + strengths[j]) ** 2
            matrix[i][i] += weight
            matrix[i][j] -= weight
    return matrix


def cholesky(matrix: Matrix) -> Matrix:
    """Return the lower triangular factor of a symmetric positive definite matrix."""
    factor = [[0.0] * len(matrix) for _ in matrix]
    for i in range(len(matrix)):
        for j in range(i + 1):
            rest = matrix[i][j] - sum(factor[i][k] * factor[j][k] for k in range(j))
            factor[i][j] = math.sqrt(rest) if i == j else rest / factor[j][j]
    return factor


def solved(factor: Matrix, right: list[float]) -> list[float]:
    """Return the solution for a right side, of a matrix that is given by its factor."""
    n = len(factor)
    half, whole = [0.0] * n, [0.0] * n
    for i in range(n):
        half[i] = (right[i] - sum(factor[i][k] * half[k] for k in range(i))) / factor[i][i]
    for i in reversed(range(n)):
        whole[i] = (half[i] - sum(factor[k][i] * whole[k] for k in range(i + 1, n))) / factor[i][i]
    return whole


def inverse_diagonal(matrix: Matrix) -> list[float]:
    """Return the diagonal of the inverse of a symmetric positive definite matrix, by Cholesky's factor L.

    The inverse is the product of L's inverse, transposed, with itself: its diagonal is the squared length of columns.
    """
    n, factor = len(matrix), cholesky(matrix)
    diagonal = [0.0] * n
    for column in range(n):
        part = [0.0] * n
        for i in range(column, n):
            rest = (1.0 if i == column else 0.0) - sum(factor[i][k] * part[k] for k in range(column, i))
            part[i] = rest / factor[i][i]
        diagonal[column] = sum(value * value for value in part)
    return diagonal
