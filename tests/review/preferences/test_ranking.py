"""Tests of Bradley-Terry strengths: against a closed form, a published example, and known inequalities."""

import math

import pytest

from datasets_app.review.preferences.ranking import (
    NORMAL_95,
    PRIOR,
    fitted,
    inverse_diagonal,
    ranked,
    tally,
)

# The English Wikipedia's "Bradley-Terry model", worked example of the iterative procedure: of four players,
# how often the row won against the column. After 20 iterations: 0.640, 1.043, 0.660, 2.270, with geometric mean 1.
WINS = [[0, 2, 0, 1], [3, 0, 5, 0], [0, 3, 0, 1], [4, 0, 3, 0]]
PUBLISHED = [0.640, 1.043, 0.660, 2.270]


def weakly_fitted(scores, count):
    """Fit under a prior that weighs next to nothing, and return strengths whose geometric mean is 1."""
    strengths = fitted(*tally(scores, count), prior=1e-6)
    mean = math.exp(sum(map(math.log, strengths)) / count)
    return [value / mean for value in strengths]


def test_the_published_worked_example_comes_out():
    scores = [(i, j, 1.0) for i in range(4) for j in range(4) for _ in range(WINS[i][j])]
    assert weakly_fitted(scores, 4) == pytest.approx(PUBLISHED, abs=6e-4)


@pytest.mark.parametrize(("won", "lost"), [(3, 1), (7, 2), (1, 1)])
def test_two_items_under_a_prior_of_next_to_nothing_have_the_ratio_of_their_wins(won, lost):
    one, other = weakly_fitted([(0, 1, 1.0)] * won + [(0, 1, 0.0)] * lost, 2)
    assert one / other == pytest.approx(won / lost, rel=1e-5)


@pytest.mark.parametrize("times", [1, 250, 5000])
def test_however_many_comparisons_there_are_the_fit_ends_at_the_maximum(times):
    """At the maximum the chances against the average opponent sum to half the number of items."""
    scores = [(0, j, share) for j in range(1, 5) for share in [0.0] * (24 * times) + [1.0] * times]
    strengths = fitted(*tally(scores, 5), PRIOR)
    assert sum(value / (1 + value) for value in strengths) == pytest.approx(5 / 2, abs=1e-6)
    assert strengths[1] / strengths[0] == pytest.approx(24, rel=0.25 if times == 1 else 0.01)


def equation(log_strength, won, lost):
    """The derivative of the likelihood of two items at strengths s and 1/s, which are symmetric under the prior."""
    s = math.exp(log_strength)
    pair, average = s * s / (1 + s * s), s / (1 + s)
    return won - (won + lost) * pair + PRIOR - 2 * PRIOR * average


@pytest.mark.parametrize(("won", "lost"), [(3, 1), (7, 0), (2, 2)])
def test_two_items_with_the_prior_solve_their_equation_and_have_its_information(won, lost):
    (_, one), (_, other) = ranked([("a", "b", 1.0)] * won + [("a", "b", 0.0)] * lost)
    assert one.value * other.value == pytest.approx(1)
    assert equation(math.log(one.value), won, lost) == pytest.approx(0, abs=1e-6)
    met = (won + lost) * (chance := one.value / (one.value + other.value)) * (1 - chance)
    alone = 2 * PRIOR * one.chance * (1 - one.chance)
    variance = (alone + met) / ((alone + met) ** 2 - met**2)  # of a matrix of two rows, inverted by hand
    assert one.high / one.value == pytest.approx(math.exp(NORMAL_95 * math.sqrt(variance)))
    assert one.value / one.low == pytest.approx(one.high / one.value)


def test_a_single_comparison_is_finite_and_its_intervals_are_wide():
    (best, strong), (worst, weak) = ranked([("a", "b", 1.0)])
    assert (best, worst) == ("a", "b")
    assert 1 < strong.value < math.inf
    assert weak.chance_low < 0.1 < 0.5 < strong.chance < strong.chance_high < 1
    assert strong.low < 1 < strong.high


def test_a_tie_is_half_a_win_for_each_side():
    tied = dict(ranked([("a", "b", 0.5), ("b", "c", 1.0)]))
    once_each = fitted(*tally([(0, 1, 0.5), (0, 1, 0.5)], 2), prior=PRIOR)
    assert once_each == pytest.approx(fitted(*tally([(0, 1, 1.0), (0, 1, 0.0)], 2), prior=PRIOR))
    assert (tied["b"].won, tied["b"].tied, tied["b"].lost, tied["b"].comparisons) == (1, 1, 0, 2)


def test_items_that_never_met_are_on_one_scale():
    strengths = dict(ranked([("a", "b", 1.0)] * 3 + [("c", "d", 1.0)] * 3))
    assert strengths["a"].value == pytest.approx(strengths["c"].value)


def test_more_comparisons_give_narrower_intervals():
    few = dict(ranked([("a", "b", 1.0), ("a", "b", 0.0)] * 2))["a"]
    many = dict(ranked([("a", "b", 1.0), ("a", "b", 0.0)] * 40))["a"]
    assert many.high / many.low < few.high / few.low


def test_nothing_compared_ranks_nothing():
    assert ranked([]) == []


def test_the_diagonal_of_an_inverse_is_that_of_a_matrix_inverted_by_hand():
    assert inverse_diagonal([[4.0, 2.0], [2.0, 3.0]]) == pytest.approx([3 / 8, 4 / 8])
