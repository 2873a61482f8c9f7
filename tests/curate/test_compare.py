"""Tests of the page that compares two recipes: exact in a small store, an estimate in a large one."""

import pytest

from datasets_app.curate import compare
from datasets_app.curate import recipes as stored_recipes
from datasets_app.models import Recipe
from tests.curate.rows import recipe
from tests.curate.store import PASSED, passed, small_store
from tests.factories import acting, make_task, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def recipes():
    fast = {"rule": "any_of", "later": "all", "rules": [{"rule": "fastest_above", "above": 5}]}
    Recipe.objects.create(name="mine", definition=recipe({"rule": "outcome"}, fast))
    Recipe.objects.create(name="all", definition=PASSED)


def test_two_recipes_are_compared(reader):
    small_store()
    answer = reader.get("/curate/compare/?one=mine&other=all")
    found = answer.context["comparison"]
    assert (found.only_one_count, found.both, found.only_other_count) == (0, 5, 15)
    assert found.only_other[0].why == (
        "Any of these: The fastest kernel is very fast: its task's fastest is not so fast"
    )


def test_without_a_choice_two_different_recipes_and_comparisons_are_offered(reader):
    answer = reader.get("/curate/compare/")
    page = answer.content.decode()
    assert page.count(" selected>") == 2
    assert answer.context["picked_one"] != answer.context["picked_other"]
    assert 'href="?one=concur&amp;other=concur-random"' in page
    assert ("mine", "all", "") in reader.get("/curate/compare/?one=mine").context["pairs"]


def test_the_versions_of_a_recipe_are_offered_for_comparison(curator):
    actor = acting(make_user("administrator"))
    saved = stored_recipes.save(actor, PASSED, name="twice")
    stored_recipes.save(actor, PASSED | {"seed": 9}, recipe=saved, name="twice")
    offered = curator.get("/curate/compare/?one=twice").context["pairs"]
    assert offered[0] == ("twice@1", "twice", "What version 2 changed")
    assert curator.get("/curate/compare/?one=twice@1&other=twice").context["changes"]


def test_a_comparison_of_a_large_store_is_an_estimate_and_says_so(reader, monkeypatch):
    for _ in range(5):
        task = make_task()
        passed(task, speedup=9)
        passed(task, speedup=2)
    monkeypatch.setattr(compare, "MOST_ROWS", 7)
    answer = reader.get("/curate/compare/?one=mine&other=all")
    found = answer.context["comparison"]
    assert (found.one.seen, found.one.total) == (6, 10)
    assert (found.only_one_count, found.both, found.only_other_count) == (0, 5, 5)
    assert found.only_other[0].why == (
        "Any of these: The fastest kernel is very fast: not its task's fastest kernel"
    )
    page = answer.content.decode()
    assert page.count("an estimate from 6 of 10 samples") == 1
    assert "about 10 rows over 5 tasks" in page
