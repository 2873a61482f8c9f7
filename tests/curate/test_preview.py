"""Tests of the composer's funnel: exact in a small store, an estimate from whole tasks in a large one."""

import pytest

from datasets_app.curate.definition import parse
from datasets_app.curate.preview import preview
from datasets_app.curate.rules import RULES
from datasets_app.ingest.withdraw import withdraw_sample
from datasets_app.models import Sample
from tests.curate.rows import recipe
from tests.curate.store import PASSED, small_store
from tests.factories import acting, make_sample, make_task, make_user

pytestmark = pytest.mark.django_db


def four_tasks_of_three():
    for _ in range(4):
        task = make_task()
        for _ in range(3):
            make_sample(task)


def test_the_funnel_of_a_small_store_is_exact():
    small_store()
    found = preview(parse(PASSED))
    assert not found.is_estimate
    assert [(step["rows_in"], step["rows_out"]) for step in found.steps()] == [(21, 20)]


def test_the_funnel_of_a_large_store_is_scaled_up_from_all_samples_of_some_tasks():
    four_tasks_of_three()
    found = preview(parse(recipe({"rule": "best_per_task", "rows": 1})), most_rows=8)
    assert (found.seen, found.total, found.is_estimate) == (6, 12, True)
    [step] = found.steps()
    assert (step["rows_in"], step["rows_out"], step["tasks_in"], step["tasks_out"]) == (12, 4, 4, 4)
    assert [reason["count"] for reason in step["dropped"]] == [8]


def test_a_rule_that_keeps_a_number_of_rows_of_the_whole_store_keeps_its_share_and_is_named_as_it_stands():
    four_tasks_of_three()
    found = preview(parse(recipe({"rule": "random_sample", "rows": 4})), most_rows=8)
    [step] = found.steps()
    assert (step["rows_out"], step["sentence"]) == (4, "4 rows by lot")


def test_a_task_with_more_samples_than_a_preview_reads_is_read_in_part():
    task = make_task()
    for _ in range(5):
        make_sample(task)
    assert preview(parse(recipe()), most_rows=3).seen == 3


def test_withdrawn_samples_count_in_no_preview():
    four_tasks_of_three()
    curator = acting(make_user("curator"))
    *_, last = Sample.objects.order_by("task", "pk")
    for sample in Sample.objects.filter(task=last.task_id):
        withdraw_sample(sample, curator, "wrong")
    found = preview(parse(recipe({"rule": "best_per_task", "rows": 1})), most_rows=8)
    assert (found.seen, found.total) == (6, 9)
    for sample in Sample.objects.in_use():
        withdraw_sample(sample, curator, "wrong as well")
    assert preview(parse(recipe()), most_rows=8).total == 0


def test_numbers_of_the_whole_store_are_marked_in_every_rule_that_has_one():
    marked = {(name, one.name) for name, rule in RULES.items() for one in rule.parameters if one.of_store}
    assert marked == {
        ("random_sample", "rows"),
        ("balance", "rows"),
        ("balance_kinds", "tasks"),
        ("cap_each", "most"),
        ("single_operator", "up_to"),
    }


def test_the_page_says_from_how_many_samples_it_estimates(reader, monkeypatch):
    four_tasks_of_three()
    monkeypatch.setattr("datasets_app.curate.preview.MOST_ROWS", 8)
    page = reader.get("/curate/new/").content.decode()
    assert "an estimate from 6 of 12 samples" in page
    assert "about 12 rows" in page
