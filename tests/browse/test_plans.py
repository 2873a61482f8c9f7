"""Tests of SQLite's query plans for the statements of every page."""

import pytest
from django.db import connection

from datasets_app.db import analyze_tables
from datasets_app.db.facet_index.facets import multi_value_facets
from datasets_app.models import Sample
from tests.factories import make_sample

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(connection.vendor != "sqlite", reason="plans as SQLite tells them"),
]


def plan(sql, params=()):
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}", params)
        return [row[3] for row in cursor.fetchall()]


def known_tables():
    with connection.cursor() as cursor:
        cursor.execute("SELECT DISTINCT tbl FROM sqlite_stat1")
        return {name for (name,) in cursor.fetchall()}


def test_the_planner_is_told_what_the_tables_hold():
    make_sample()
    analyze_tables.refresh()
    assert {"datasets_app_sample", "datasets_app_task"} <= known_tables()


@pytest.mark.parametrize("told", [False, True])
def test_the_facets_of_changed_rows_are_read_from_those_rows(told):
    make_sample()
    if told:
        analyze_tables.refresh()
    for facet in multi_value_facets():
        steps = plan(facet.sql.format(rows="IN (1, 2, 3)"))
        assert not [step for step in steps if step.startswith("SCAN") or "(state=" in step], (
            facet.name,
            steps,
        )


def test_the_turns_after_a_sample_are_found_by_their_parent_though_most_have_none():
    samples = [make_sample() for _ in range(40)]
    analyze_tables.refresh()
    rows = Sample.objects.filter(parent=samples[0].pk).order_by("turn")
    assert any("sample_follows" in step for step in plan(*rows.query.sql_with_params()))


def test_the_first_page_needs_no_sorting():
    make_sample()
    analyze_tables.refresh()
    rows = Sample.objects.order_by("-created_at", "-id").values_list("pk", "task__name")[:50]
    assert not [step for step in plan(*rows.query.sql_with_params()) if "TEMP B-TREE" in step]


def test_the_planner_is_told_as_many_rows_as_there_are_and_of_a_partial_index_its_own(monkeypatch):
    monkeypatch.setattr(analyze_tables, "SAMPLED_ROWS", 3)
    monkeypatch.setattr(analyze_tables, "LEAST_ROWS", 1)
    for number in range(40):
        sample = make_sample(trace_tokens=number)
    make_sample(parent=sample)
    analyze_tables.refresh()
    with connection.cursor() as cursor:
        cursor.execute("SELECT idx, stat FROM sqlite_stat1 WHERE tbl = 'datasets_app_sample'")
        rows = {index: int(stat.split()[0]) for index, stat in cursor.fetchall()}
    assert rows.pop("sample_follows") == 1
    assert set(rows.values()) == {41}
