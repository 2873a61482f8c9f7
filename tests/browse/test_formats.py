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
