"""Tests of the shifts between what two recipes choose, and of the figures that the compare page draws of them."""

import json
import re

import pytest

from datasets_app.curate.shift import shifts
from datasets_app.models import Recipe
from tests.curate.rows import recipe, row
from tests.curate.store import PASSED, small_store

ONE = [
    row("a", passed=1.1, trace_tokens=500, kind="matmul"),
    row("b", passed=12, trace_tokens=3999, kind="matmul"),
    row("c", outcome="wrong_value", measured_speedup=3.0, kind="scan"),
]
OTHER = [row("d", passed=0.2, trace_tokens=25_000, kind="scan")]


def test_values_are_binned_and_one_at_an_edge_is_above_it():
    lengths, speedups, kinds = shifts(ONE, OTHER)
    assert dict(zip(lengths.groups, lengths.one, strict=True)) == {
        **dict.fromkeys(lengths.groups, 0),
        "500 to 1,000": 1,
        "3,000 to 4,000": 1,
    }
    assert lengths.medians == (2249.5, 25_000)
    assert speedups.sizes == (2, 1)  # a wrong kernel has no speedup
    assert (speedups.one[3], speedups.one[-1], speedups.other[0]) == (1, 1, 1)
    assert (kinds.one, kinds.other) == ([1, 2], [1, 0])


def test_shares_are_of_each_side_by_itself():
    kinds = shifts(ONE, OTHER)[2]
    assert [[round(share) for share in side] for side in kinds.shares()] == [[33, 67], [100, 0]]


def test_a_side_without_rows_has_no_share():
    assert shifts(ONE, [])[0].shares()[1] == [0] * 11


@pytest.mark.django_db
def test_the_page_draws_three_shifts_with_their_tables(reader):
    small_store()
    Recipe.objects.create(
        name="mine", definition=recipe({"rule": "outcome"}, {"rule": "fastest_above", "above": 5})
    )
    Recipe.objects.create(name="all", definition=PASSED)
    page = reader.get("/curate/compare/?one=mine&other=all").content.decode()
    assert [
        title for title in ("Trace length", "Measured speedup", "Task mix") if f">{title}</h2>" in page
    ] == [
        "Trace length",
        "Measured speedup",
        "Task mix",
    ]
    drawn = [json.loads(text) for text in re.findall(r'<script type="application/json">(.*?)</script>', page)]
    assert [[trace["name"] for trace in plot["data"]] for plot in drawn] == [["all", "mine"]] * 3
    assert "mine: 5 rows, median 8×; all: 20 rows" in page
    assert page.count('<th scope="col" class="num">mine, rows</th>') == 3


@pytest.mark.django_db
def test_two_recipes_that_choose_nothing_have_nothing_to_draw(reader):
    Recipe.objects.create(name="all", definition=PASSED)
    assert "Nothing to draw yet" in reader.get("/curate/compare/?one=all&other=all").content.decode()
