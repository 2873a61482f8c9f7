"""Tests of whole numbers that somebody typed, and of what a wrong one must not do."""

import pytest
from django.test import Client

from datasets_app.curate.store import programs_of
from datasets_app.text_input.numbers import whole_number
from tests.factories import make_sample, make_user


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *[("1", 1), ("50", 50), ("050", 50), ("500", 500)],
        *[
            (text, None)
            for text in ("", "0", "501", "0501", "0000501", "-1", "+1", " 1", "1_0", "1.0", "²", "٣")
        ],
        ("9" * 5000, None),
        ("0" * 5000 + "1", None),
    ],
)
def test_digits_within_the_bounds_are_a_number(text, number):
    assert whole_number(text, 1, 500) == number


@pytest.mark.django_db
@pytest.mark.parametrize("limit", ["0000000010000", f"1{'0' * 5000}"])
def test_leading_zeros_open_no_larger_page(limit):
    make_sample()
    client = Client()
    client.force_login(make_user("reader"))
    assert client.get("/api/v1/samples/", {"limit": limit}).status_code == 400


@pytest.mark.django_db
@pytest.mark.parametrize("level", ["²", "99999999", "one"])
def test_a_level_that_no_suite_has_holds_no_programs(level):
    assert programs_of(f"KernelBench/{level}") == frozenset()
