"""Tests of what is known against tasks: stored by admission and by sources, filtered, counted and curated on."""

import json
from datetime import UTC, datetime

import pytest

from datasets_app.browse.list import facets
from datasets_app.browse.query import parse_query
from datasets_app.curate.definition import parse
from datasets_app.curate.store import rows
from datasets_app.models import Sample, TaskFinding
from datasets_app.models.admission_codes import by_filters, codes_of
from tests.curate.rows import choose, recipe, row
from tests.factories import PROGRAM, make_sample
from tests.ingest.conftest import ingest_file, write_lines

AT = datetime(2026, 1, 1, tzinfo=UTC)
WEAK = {
    "output_range": True,
    "output_std": True,
    "output_axes": False,
    "inputs_asked": 3,
    "inputs_that_move": 2,
}


@pytest.mark.parametrize(
    ("answers", "codes"),
    [
        ({}, set()),
        (WEAK, {"output_range", "output_std", "input_impact"}),
        ({"output_moves": False}, {"input_impact"}),
        ({"zeros_pass": True, "mean_passes": False}, {"constant_output"}),
        ({"weights_asked": 2, "weights_that_move": 1}, {"weights_ignored"}),
        ({"deterministic": False, "random": True}, {"nondeterministic", "random_reference"}),
        ({"lower_precision_passes": True, "output_axes": "yes"}, {"precision_insensitive"}),
    ],
)
def test_answers_of_the_admission_test_amount_to_findings(answers, codes):
    assert codes_of(answers) == codes


@pytest.mark.parametrize(
    ("results", "codes"),
    [
        (
            {"filter_output_axes": True, "filter_output_std": False, "filter_llm_assessment": "No."},
            ["output_axes"],
        ),
        ({"filter_llm_sanity": True}, ["llm_sanity"]),
        ({"filter_llm_redundancy": True, "filter_llm_inefficiency": True}, ["llm_sanity"]),
        ({"filter_llm_redundancy": False, "filter_llm_inefficiency": True}, ["llm_sanity"]),
        ({"filter_llm_redundancy": False, "filter_llm_inefficiency": False}, []),
    ],
)
def test_each_filter_that_a_task_did_not_pass_is_a_finding(results, codes):
    assert list(by_filters(results)) == codes


@pytest.mark.django_db
def test_a_later_admission_replaces_what_the_test_found_and_keeps_what_the_source_says():
    task = make_sample().task
    TaskFinding.objects.create(task=task, code="llm_sanity", by_source=True)
    task.record_admission(WEAK, "1", AT)
    assert {finding.code for finding in task.findings.all()} == {"llm_sanity", *codes_of(WEAK)}
    task.record_admission({"output_std": True}, "2", AT)
    assert {finding.code for finding in task.findings.all()} == {"llm_sanity", "output_std"}
    task.record_admission(WEAK, "1", AT)  # of an older engine
    assert {finding.code for finding in task.findings.all()} == {"llm_sanity", "output_std"}


@pytest.mark.django_db
def test_robust_kbenchs_filters_are_findings_of_the_task(tmp_path):
    config = {"single_input_configs": [{}], "single_init_configs": [{}], "single_shared_configs": [{}]}
    results = {"filter_output_range": False, "filter_input_impact": True, "filter_llm_sanity": True}
    line = {
        "task_name": "weak",
        "func_forward": PROGRAM.format(number=1),
        "func_backward": "",
        "config_forward": json.dumps(config),
        "config_backward": "",
        "filter_results": json.dumps(results | {"filter_llm_assessment": "No."}),
    }
    ingest = ingest_file(write_lines(tmp_path / "robust_kbench_tasks.jsonl", [line]))
    assert (ingest.format, ingest.refused) == ("robust-kbench-tasks", 0)
    found = TaskFinding.objects.values_list("code", "by_source").order_by("code")
    assert list(found) == [("input_impact", True), ("llm_sanity", True)]


@pytest.mark.django_db
def test_findings_of_tasks_are_a_filter_and_a_facet_with_exact_counts(reader):
    weak, good = make_sample(), make_sample()
    weak.task.record_admission(WEAK, "1", AT)
    counted = {
        value.value: value.count
        for facet in facets.count(parse_query("")).facets
        if facet.name == "task_finding"
        for value in facet.values
    }
    assert counted == {"output_range": 1, "output_std": 1, "input_impact": 1}
    listed = reader.get("/api/v1/samples/", {"task_finding": "output_std"}).json()["results"]
    assert [row["id"] for row in listed] == [str(weak.pk)]
    others = reader.get("/api/v1/samples/", {"-task_finding": "output_std"}).json()["results"]
    assert [row["id"] for row in others] == [str(good.pk)]
    tasks = reader.get("/api/v1/tasks/", {"task_finding": "output_std"}).json()["results"]
    assert [task["id"] for task in tasks] == [str(weak.task_id)]
    page = reader.get(weak.task.get_absolute_url()).content.decode()
    assert "all outputs are within 0.01 of zero" in page


@pytest.mark.django_db
def test_a_recipe_reads_the_findings_of_tasks_where_a_rule_needs_them():
    weak = make_sample()
    weak.task.record_admission(WEAK, "1", AT)
    rule = {"rule": "task_findings", "codes": ["output_std"]}
    needs = parse(recipe(rule)).rule_needs()
    [with_findings] = rows("", needs)
    assert with_findings.task_findings == codes_of(WEAK)
    assert next(iter(rows(""))).task_findings == frozenset()
    assert Sample.objects.count() == 1


def test_the_rule_keeps_tasks_without_or_with_a_finding():
    table = [row("a", "t", task_findings=frozenset({"output_std"})), row("b", "u"), row("c", "u")]
    rule = {"rule": "task_findings", "codes": ["output_std", "output_range"]}
    assert {entry.row.id for entry in choose(table, rule).chosen} == {table[1].id, table[2].id}
    assert {entry.row.id for entry in choose(table, rule | {"having": "some"}).chosen} == {table[0].id}
