"""Tests of the conditions by which rows are read for a block."""

import pytest

from datasets_app.db.facet_index.rows import among, select

NUMBERS = (
    "SELECT n FROM (SELECT 1 AS n UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 9) AS t WHERE n "
)


@pytest.mark.django_db
@pytest.mark.parametrize("wanted", [[3, 4, 5], [5, 3, 4], [1, 3, 4], [1, 9], [4], [2], [3, 3, 5], []])
def test_the_rows_are_those_of_the_numbers_whether_consecutive_or_not(wanted):
    there = {1, 3, 4, 5, 9}
    assert {n for (n,) in select(NUMBERS + among(wanted))} == there & set(wanted)


def test_consecutive_numbers_are_a_range_that_is_short_to_parse():
    assert among(range(1, 2001)) == "BETWEEN 1 AND 2000"
