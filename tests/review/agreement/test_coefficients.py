"""Tests of the coefficients against published and hand-computed examples, and of what must hold for any ratings."""

import random
from collections import Counter
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasets_app.review.agreement.coefficients import (
    cohen_kappa,
    fleiss_kappa,
    nominal_alpha,
    ordinal_alpha,
)

ALL = [fleiss_kappa, nominal_alpha, ordinal_alpha]

# Krippendorff 2011, section C: four observers, twelve units; `.` was not rated.
FOUR_OBSERVERS = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]
# Three coders, fifteen units: nominal 0.691 (Krippendorff's example as in Wikipedia's article on his alpha).
THREE_CODERS = [".....34121133.3", "1.213343.......", "..21344.21133.4"]
# Wikipedia's article on Fleiss' kappa: ten subjects, fourteen raters, five categories.
TEN_BY_FIVE = """0 0 0 0 14
0 2 6 4 2
0 0 3 5 6
0 3 9 2 0
2 2 8 1 1
7 7 0 0 0
3 2 6 3 0
2 5 3 2 2
6 5 2 1 0
0 2 2 3 7"""


def units_of(observers):
    """Return the units of observers' lines, one character per unit."""
    return Counter(
        tuple(sorted(int(value) for value in column if value != "."))
        for column in zip(*observers, strict=True)
    )


def table_of(text):
    """Return the units of a table: a row per unit, the number of ratings per value."""
    rows = ([int(n) for n in line.split()] for line in text.splitlines())
    return Counter(tuple(value for value, n in enumerate(row) for _ in range(n)) for row in rows)


def test_cohens_kappa_of_the_textbook_example_is_04():
    assert cohen_kappa({(1, 1): 20, (1, 0): 5, (0, 1): 10, (0, 0): 15}) == pytest.approx(0.4)


def test_cohens_kappa_differs_where_the_shares_do_though_the_agreement_is_the_same():
    assert cohen_kappa({(1, 1): 45, (1, 0): 15, (0, 1): 25, (0, 0): 15}) == pytest.approx(0.1304, abs=5e-5)
    assert cohen_kappa({(1, 1): 25, (1, 0): 35, (0, 1): 5, (0, 0): 35}) == pytest.approx(0.2593, abs=5e-5)


def test_fleiss_kappa_of_the_ten_by_five_table_is_0210():
    assert fleiss_kappa(table_of(TEN_BY_FIVE)) == pytest.approx(0.210, abs=5e-4)


def test_fleiss_kappa_of_unequal_numbers_of_ratings_is_as_computed_by_hand():
    # Agreement: (1 + 1/3 + 0) / 3 = 4/9. Shares of 1: (1 + 2/3 + 1/2) / 3 = 13/18, of 2: 5/18; expected: 194/324.
    expected = Fraction(194, 324)
    kappa = (Fraction(4, 9) - expected) / (1 - expected)
    assert fleiss_kappa({(1, 1): 1, (1, 1, 2): 1, (1, 2): 1, (2,): 1}) == pytest.approx(float(kappa))


def test_krippendorffs_alpha_of_his_four_observers_is_0743_and_ordinal_0815():
    units = units_of(FOUR_OBSERVERS)
    assert nominal_alpha(units) == pytest.approx(0.743, abs=5e-4)
    assert ordinal_alpha(units) == pytest.approx(0.815, abs=5e-4)


def test_krippendorffs_alpha_of_his_three_coders_is_0691():
    assert nominal_alpha(units_of(THREE_CODERS)) == pytest.approx(0.691, abs=5e-4)


def test_krippendorffs_alpha_of_two_observers_and_binary_values_is_0095():
    # Krippendorff 2011, section A.
    assert nominal_alpha(units_of(["0100000010", "1110010000"])) == pytest.approx(0.095, abs=5e-4)


@pytest.mark.parametrize("coefficient", ALL)
@given(
    values=st.lists(st.integers(1, 5), min_size=2, max_size=30).filter(lambda values: len(set(values)) > 1)
)
def test_perfect_agreement_is_1(coefficient, values):
    assert coefficient(Counter((value,) * (2 + value % 3) for value in values)) == pytest.approx(1)
    assert cohen_kappa(Counter((value, value) for value in values)) == pytest.approx(1)


@given(pairs=st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=1, max_size=30))
def test_kappa_does_not_depend_on_who_is_first(pairs):
    swapped = Counter((b, a) for a, b in pairs)
    assert cohen_kappa(Counter(pairs)) == pytest.approx(cohen_kappa(swapped))


@pytest.mark.parametrize("coefficient", ALL)
@given(units=st.lists(st.lists(st.integers(1, 3), min_size=3, max_size=3), min_size=1, max_size=12))
def test_the_order_of_the_reviewers_changes_nothing(coefficient, units):
    as_written = coefficient(Counter(tuple(unit) for unit in units))
    for order in permutations(range(3)):
        assert coefficient(Counter(tuple(unit[at] for at in order) for unit in units)) == pytest.approx(
            as_written
        )


@pytest.mark.parametrize("coefficient", [cohen_kappa, *ALL])
def test_ratings_by_chance_are_near_0(coefficient):
    dice = random.Random(7)
    units = Counter((dice.randint(1, 4), dice.randint(1, 4)) for _ in range(20_000))
    assert abs(coefficient(units)) < 0.02


@pytest.mark.parametrize("coefficient", [cohen_kappa, *ALL])
def test_nothing_is_defined_where_every_rating_is_the_same(coefficient):
    assert coefficient({(2, 2): 9}) is None


@pytest.mark.parametrize("coefficient", ALL)
def test_a_sample_with_one_rating_counts_for_nothing(coefficient):
    units = {(1, 1): 3, (2, 2, 2): 2, (1, 2): 1}
    assert coefficient({**units, (5,): 4}) == pytest.approx(coefficient(units))
    assert coefficient({(1,): 3, (2,): 2}) is None


def test_a_near_miss_costs_less_on_an_ordinal_scale():
    rest = {(1, 1): 5, (3, 3): 5, (5, 5): 5}
    near, far = ordinal_alpha({**rest, (4, 5): 2}), ordinal_alpha({**rest, (1, 5): 2})
    assert near > 0.9 > far
