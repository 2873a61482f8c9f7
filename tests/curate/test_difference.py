"""Tests of what differs between two releases, and of the rule or fact behind each row."""

import pytest

from datasets_app.curate.difference import difference
from datasets_app.models import Sample
from tests.curate.store import PASSED, failed, frozen, passed
from tests.factories import make_sample
from tests.verifications import verified

pytestmark = pytest.mark.django_db


def rows(kind, release, other):
    return {row.sample: row.why for row in difference(release, other, kind).rows}


def test_a_row_that_was_stored_since_says_when():
    passed()
    first = frozen("first")
    late = passed()
    second = frozen("second")
    (why,) = rows("added", second, first)[str(late.pk)]
    assert why.startswith("stored on ")
    assert why.endswith("after first was frozen")
    assert difference(second, first).counts == {"added": 1, "removed": 0, "changed": 0}


def test_a_row_that_the_newer_recipe_drops_names_the_rule():
    passed(speedup=3)
    slow = passed(speedup=0.5)
    first = frozen("first")
    second = frozen("second", PASSED | {"rules": [*PASSED["rules"], {"rule": "speedup", "minimum": 1}]})
    (why,) = rows("removed", second, first)[str(slow.pk)]
    assert why.startswith("the recipe of second drops it: ")
    (back,) = rows("added", first, second)[str(slow.pk)]
    assert back.startswith("the recipe of second drops it: ")


def test_a_row_whose_verdict_was_overturned_names_the_rule():
    passed()
    cheat = passed()
    first = frozen("first")
    verified(cheat, "cheated", days=1)
    second = frozen("second")
    (why,) = rows("removed", second, first)[str(cheat.pk)]
    assert "cheated" in why


def test_a_changed_fact_is_shown_with_both_values():
    sample = passed(language="python")
    first = frozen("first")
    Sample.objects.filter(pk=sample.pk).update(language="cuda", generator="writer-7b")
    second = frozen("second")
    assert rows("changed", second, first) == {
        str(sample.pk): ["generator: writer-32b → writer-7b", "language: python → cuda"]
    }
    assert rows("changed", first, first) == {}


def test_the_rows_of_a_page_cost_few_queries(django_assert_max_num_queries):
    for _ in range(5):
        passed()
    first = frozen("first")
    for _ in range(5):
        failed()
        make_sample()
        passed()
    second = frozen("second")
    with django_assert_max_num_queries(12):
        difference(first, second, "removed")
