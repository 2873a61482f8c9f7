"""Tests that columns with other names are taken where their meaning is clear, and reported where no field is."""

import pytest

from datasets_app.models import Sample
from tests.ingest.conftest import concur_row, ingest_file, items_of, workbench_row, write_lines

pytestmark = pytest.mark.django_db


def renamed(row: dict, **names: str) -> dict:
    return {names.get(column, column): value for column, value in row.items()}


@pytest.mark.parametrize(
    "column", ["trace", "thought", "Thought", "think", "generated_think", "reasoning_trace"]
)
def test_a_trace_is_stored_under_each_of_its_published_names(column, tmp_path):
    row = renamed(workbench_row(1), reasoning=column)
    ingest = ingest_file(write_lines(tmp_path / "a.jsonl", [row]))
    assert Sample.objects.get().body.reasoning == "Fuse them, 1."
    assert ingest.column_notes == []


def test_a_trace_beside_concurs_columns_is_stored_too(tmp_path):
    row = renamed(concur_row(1), generated_think="reasoning")
    ingest_file(write_lines(tmp_path / "a.jsonl", [row]))
    assert Sample.objects.get().body.reasoning.startswith("Fuse them.")


def test_claims_and_names_are_taken_under_published_names(tmp_path):
    row = renamed(workbench_row(1), task_name="problem_name")
    row |= {"model": "m", "speedup_over_eager": 2.5, "correct": True, "level_id": 2, "problem_id": 7}
    [item] = items_of(write_lines(tmp_path / "a.jsonl", [row]))
    assert (item.task.name, item.task.level, item.task.problem) == ("relu_plus_1", 2, 7)
    assert (item.sample.generator, item.sample.claimed_speedup, item.sample.claimed_correct) == (
        "m",
        2.5,
        True,
    )
    assert (item.unused, item.sample.extra) == ((), {})


def test_two_columns_for_one_field_are_ambiguous_and_reported(tmp_path):
    row = renamed(workbench_row(1), reasoning="trace") | {"thought": "another"}
    ingest = ingest_file(write_lines(tmp_path / "a.jsonl", [row]))
    assert Sample.objects.get().body.reasoning == ""
    assert ingest.column_notes == ["Columns not used, only kept with their rows: thought, trace."]


def test_a_field_under_its_own_name_is_never_replaced(tmp_path):
    ingest = ingest_file(write_lines(tmp_path / "a.jsonl", [workbench_row(1, trace="another")]))
    body = Sample.objects.get().body
    assert (body.reasoning, body.extra) == ("Fuse them, 1.", {"trace": "another"})
    assert ingest.column_notes == ["Columns not used, only kept with their rows: trace."]


def test_a_refused_row_names_the_column_of_the_file(tmp_path):
    row = renamed(workbench_row(1), reasoning="trace") | {"trace": ["a", "b"]}
    ingest = ingest_file(write_lines(tmp_path / "a.jsonl", [row]))
    assert ingest.refused_rows.get().field == "trace"


def test_the_page_of_a_file_names_the_columns_that_were_not_used(tmp_path, client):
    from tests.factories import make_user

    ingest = ingest_file(write_lines(tmp_path / "a.jsonl", [workbench_row(1, note="x", speedup=3)]))
    client.force_login(make_user("reader", "reader"))
    page = client.get(ingest.get_absolute_url()).content.decode()
    assert "Columns not used, only kept with their rows: note, speedup." in page
