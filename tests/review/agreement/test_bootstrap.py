"""Tests that an estimate has an interval or says why not, and is the same for the same reviews."""

import random
from collections import Counter

import pytest

from datasets_app.review.agreement.bootstrap import FEWEST_SAMPLES, estimate
from datasets_app.review.agreement.coefficients import cohen_kappa, fleiss_kappa, nominal_alpha


def ratings(n, seed=3):
    """Return units of three raters who agree more than by chance."""
    dice = random.Random(seed)
    truths = [dice.randint(1, 3) for _ in range(n)]
    return Counter(
        tuple(truth if dice.random() < 0.8 else dice.randint(1, 3) for _ in range(3)) for truth in truths
    )


@pytest.mark.parametrize("coefficient", [fleiss_kappa, nominal_alpha])
def test_the_interval_holds_the_value_and_narrows_with_the_samples(coefficient):
    few, many = estimate(coefficient, ratings(30)), estimate(coefficient, ratings(480))
    assert few.low < few.value < few.high
    assert many.low < many.value < many.high
    assert many.high - many.low < (few.high - few.low) / 2


def test_the_same_reviews_in_another_order_give_the_same_interval():
    units = ratings(40)
    turned = Counter(dict(reversed(units.items())))
    assert estimate(nominal_alpha, units) == estimate(nominal_alpha, turned)


def test_an_interval_is_near_the_one_of_the_normal_approximation():
    # 35 of 50 agree, 0.5 by chance: standard error sqrt(0.7 * 0.3 / 50) / (1 - 0.5) = 0.130 (Cohen 1960).
    found = estimate(cohen_kappa, {(1, 1): 20, (1, 0): 5, (0, 1): 10, (0, 0): 15})
    assert found.low == pytest.approx(0.4 - 1.96 * 0.130, abs=0.07)
    assert found.high == pytest.approx(0.4 + 1.96 * 0.130, abs=0.07)


def test_too_few_samples_give_a_sentence_instead_of_a_number():
    found = estimate(nominal_alpha, {(1, 1): FEWEST_SAMPLES - 1, (2,): 50})
    assert (found.value, found.low, found.missing) == (None, None, "not enough reviews")
    assert found.samples == FEWEST_SAMPLES - 1


def test_ratings_that_are_all_the_same_give_a_sentence_instead_of_a_number():
    assert estimate(nominal_alpha, {(1, 1): 30}).missing == "not defined: every rating is the same"


def test_a_few_samples_of_another_rating_still_give_an_interval():
    # A resample of n samples holds the only different one with probability 1 - 1/e.
    assert estimate(nominal_alpha, {(1, 1, 1): 40, (1, 1, 2): 1}).low is not None
