"""Tests of numbers as pages show them."""

import pytest

from datasets_app.browse import formats


@pytest.mark.parametrize(
    ("value_ms", "words"),
    [
        (None, "–"),
        (0, "0 ms"),
        (1.57e-5, "15.7 ns"),
        (9.99e-4, "999 ns"),
        (1e-3, "0.00100 ms"),
        (1234.5, "1,234 ms"),
    ],
)
def test_a_time_has_a_unit_in_which_it_can_be_read(value_ms, words):
    assert formats.duration(value_ms) == words


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (None, "–"),
        (0, "0"),
        (0.004, "under 0.01"),
        (0.034, "0.034"),
        (1.26, "1.3"),
        (54.21, "54.2"),
        (200.4, "200"),
    ],
)
def test_a_small_share_is_not_rounded_to_nothing(share, words):
    assert formats.precise_percent(share) == words


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.4, "0 s"), (90, "90 s"), (963, "16 min"), (7_300, "2 h"), (200_000, "2 d")]
)
def test_a_span_of_time_is_in_the_largest_unit_that_it_has_two_of(seconds, words):
    assert formats.time_span(seconds) == words


@pytest.mark.parametrize(("value", "words"), [(0.976, "0.98"), (-0.042, "−0.04"), (0, "0.00")])
def test_a_coefficient_has_two_places_and_a_true_minus(value, words):
    assert formats.two_places(value) == words
