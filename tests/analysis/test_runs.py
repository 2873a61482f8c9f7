"""Tests of runs: a frozen task set, metrics by hand, what is missing is wrong, tables, page, REST and command."""

import csv
import io
import json

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from datasets_app.accounts.actor import COMMAND
from datasets_app.analysis.metrics import (
    MetricError,
    TaskResult,
    correctness_by_stage,
    geometric_mean_over_all,
)
from datasets_app.analysis.runs.judged import judge_run
from datasets_app.analysis.runs.record import RunError, create_run, task_set_of
from datasets_app.analysis.runs.report import report_on
from datasets_app.models import AuditEntry, EvaluationRun, Ingest, Task, TaskSet
from tests.api.clients import token_for
from tests.curate.store import failed, passed
from tests.factories import make_sample, make_source, make_task, make_user
from tests.verifications import EPYC, H200, timed

pytestmark = pytest.mark.django_db


@pytest.fixture
def tasks():
    """Four tasks, two of each level. `kb`: one passed twice as fast, one failed, one not verified, one not there."""
    made = [make_task(suite="Bench", level=1 + n // 2, problem=n) for n in range(4)]
    kb, slow = make_source("kb"), make_source("slow")
    passed(made[0], source=kb, speedup=2.0, generator="m-7b", trace_tokens=500, has_trace=True)
    failed(task=made[1], source=kb, generator="m-7b", trace_tokens=9_000, has_trace=True)
    make_sample(made[2], source=kb, generator="other", trace_tokens=500, has_trace=True)
    for task in made:
        passed(task, source=slow, speedup=0.5, trace_tokens=None, has_trace=False)
    return made


@pytest.fixture
def run(tasks):
    return create_run("kb on Bench", source("kb"), Task.objects.all(), COMMAND)


@pytest.fixture
def reader(client):
    client.force_login(make_user("reader"))
    return client


def source(name):
    return EvaluationRun.source.field.related_model.objects.get(name=name)


def test_the_metrics_are_those_by_hand_and_what_is_missing_is_wrong(run):
    assert (run.device, run.generator, run.kind, run.task_set.size) == (H200, "m-7b", "published", 4)
    report = report_on(run)
    assert report.outcomes == {"missing": 1, "passed": 1, "undecided": 1, "wrong_value": 1}
    everything = report.metrics["all"]
    assert {name: everything[name] for name in ("fast_0", "fast_1", "fast_2", "pass@1", "best@1")} == {
        "fast_0": 0.25,
        "fast_1": 0.25,
        "fast_2": 0.0,
        "pass@1": 0.25,
        "best@1": 0.5,
    }
    assert everything["area_under_fast_p"] == 0.5
    assert everything["G_speedup"] == pytest.approx(1.1892071150027210, rel=1e-15)
    assert (everything["geometric_mean_speedup"], everything["tasks_with_a_speedup"]) == (2.0, 1)
    stages = [everything[f"stage: {name}"] for name in ("kernel", "loaded", "ran", "right")]
    assert stages == [0.75, 0.5, 0.5, 0.25]
    assert report.metrics["level 1"]["fast_0"] == 0.5
    assert report.metrics["level 2"]["fast_0"] == 0.0


def test_stages_and_the_mean_over_all_tasks_by_hand():
    outcomes = {"passed": 2, "build_error": 1, "timeout": 1, "cheated": 1, "missing": 2, "undecided": 1}
    assert correctness_by_stage(outcomes) == {"kernel": 0.75, "loaded": 0.5, "ran": 0.375, "right": 0.25}
    results = [TaskResult(1, 1, (4.0,)), TaskResult(2, 1, (0.5,)), TaskResult(1, 0), TaskResult(1, 1, (2.0,))]
    assert geometric_mean_over_all(results) == pytest.approx(8 ** (1 / 4), rel=1e-15)
    with pytest.raises(MetricError):
        correctness_by_stage({})


def test_a_task_that_comes_later_changes_no_run(run):
    passed(make_task(suite="Bench"), source=source("kb"), speedup=9.0)
    assert len(judge_run(run).levels) == 4
    assert report_on(run).metrics["all"]["fast_1"] == 0.25
    assert task_set_of(Task.objects.filter(pk__in=judge_run(run).levels)) == run.task_set
    assert TaskSet.objects.count() == 1


def test_less_strict_evidence_is_undecided_and_more_candidates_that_were_asked_for_are_missing(tasks):
    strict = create_run("strict", source("kb"), Task.objects.all(), COMMAND, profile="thorough", per_task=2)
    assert report_on(strict).outcomes == {"missing": 5, "undecided": 3}
    loose = create_run("loose", source("kb"), Task.objects.all(), COMMAND, profile="standard")
    assert report_on(loose).outcomes["passed"] == 1


def test_a_run_is_judged_on_its_own_device_and_on_another_that_is_asked_for(run):
    sample = run.source.samples.get(task__problem=2)
    timed(sample, 3.0, EPYC, profile="standard")
    assert report_on(run).metrics["all"]["fast_0"] == 0.25
    assert report_on(run, EPYC).outcomes == {"missing": 1, "passed": 1, "undecided": 2}


def test_what_cannot_be_a_run_is_said(run):
    kb, everything = source("kb"), Task.objects.all()
    for name, tasks, more, why in (
        ("", everything, {}, "Give the run a name"),
        ("kb on Bench", everything, {}, "There is a run kb on Bench already"),
        ("x", Task.objects.none(), {}, "has no sample of these tasks"),
        ("x", everything, {"profile": "exact"}, "No profile is called 'exact'"),
        ("x", everything, {"device": "A100"}, "No sample has evidence on 'A100'"),
        ("x", everything, {"per_task": 0}, "from 1 to 1,000 candidates"),
    ):
        with pytest.raises(RunError, match=why):
            create_run(name, kb, tasks, COMMAND, **more)


def test_a_kernelbench_run_is_known_as_one(tasks):
    Ingest.objects.create(file_name="runs.zip", format="kernelbench-runs", source=source("slow"))
    run = create_run("a run", source("slow"), Task.objects.all(), COMMAND)
    assert run.get_kind_display() == "KernelBench run"


def test_many_answers_cost_no_more_queries_than_few(run, django_assert_num_queries):
    for task in Task.objects.all():
        for _ in range(5):
            passed(task, source=run.source)
    with django_assert_num_queries(4):
        assert judge_run(run).per_task == 6


def test_the_tables_have_the_papers_forms_and_every_answer_in_them(run, tasks):
    create_run("slow on Bench", source("slow"), Task.objects.all(), COMMAND)
    report = report_on(run)
    accuracy = report.table("accuracy-by-length").rows
    assert len(accuracy) == 9
    assert accuracy[0][:5] == (404, 2507, 2, 1, 0.5), "the one that is not verified is wrong"
    assert accuracy[4][2:5] == (1, 0, 0.0)
    speedups = report.table("speedup-by-length")
    assert speedups.rows[0][2:] == (1, 2.0, 2.0, 2.0)
    assert "Too few" in speedups.caption
    classes = {row[0]: row[1:] for row in report.table("difficulty").rows}
    assert classes == {
        "easy": (2, 500, 0.5, 0.5),
        "middling": (0, None, None, None),
        "hard": (1, 9000, 0.0, 0.0),
        "no trace": (1, None, 0.0, 0.0),
    }
    generators = report.table("generators").rows
    assert [row[0] for row in generators] == ["kb on Bench"] * 3 + ["slow on Bench"] * 3
    assert generators[3][2:] == ("all", 4, 1, 1, 1.0, 0.0, 0.0, 0.5, 4)
    other = report_on(EvaluationRun.objects.get(name="slow on Bench"))
    assert other.table("accuracy-by-length").rows[-1][:4] == ("no trace", None, 4, 4)


def test_a_page_shows_it_and_its_files_have_the_same_numbers(run, reader):
    page = reader.get(run.get_absolute_url())
    text = page.content.decode()
    for words in (
        "kb on Bench",
        "G_speedup",
        "1.189",
        "level 2",
        "1 undecided",
        "In the form of",
        "Best of N",
    ):
        assert words in text, words
    address = reverse("run-table-csv", args=[run.pk, "difficulty"])
    assert address in text
    rows = list(csv.reader(io.StringIO(reader.get(address).content.decode())))
    assert rows[1] == ["easy", "2", "500", "0.5", "0.5"]
    figure = reader.get(reverse("run-figure-csv", args=[run.pk, "best-of-n"])).content.decode()
    assert '"kb on Bench","best of N",1.0,0.25,0.25,0.5' in figure
    assert reader.get(reverse("run-table-csv", args=[run.pk, "nothing"])).status_code == 404
    assert reader.get(f"{run.get_absolute_url()}?on=A100").status_code == 404
    assert "kb on Bench" in reader.get(reverse("runs")).content.decode()


def test_a_name_that_is_hostile_is_shown_and_does_nothing(tasks, reader):
    name = "<script>alert(1)</script>\u202e"
    run = EvaluationRun.objects.create(
        name=name,
        kind="published",
        source=source("kb"),
        task_set=task_set_of(Task.objects.all()),
        generator=name,
    )
    for address in (run.get_absolute_url(), reverse("runs")):
        text = reader.get(address).content.decode()
        assert "<script>alert(1)" not in text
        assert "\u202e" not in text


def test_a_name_is_no_formula_of_a_spreadsheet(tasks, reader):
    run = create_run('=HYPERLINK("x")', source("kb"), Task.objects.all(), COMMAND)
    text = reader.get(reverse("run-table-csv", args=[run.pk, "generators"])).content.decode()
    assert "HYPERLINK" in text
    assert not any(cell.startswith("=") for row in csv.reader(io.StringIO(text)) for cell in row)


def test_a_curator_freezes_one_on_the_page_and_a_reader_does_not(tasks, client):
    form = {"name": "mine", "source": "kb", "suite": "Bench", "level": "1", "device": "", "profile": ""}
    client.force_login(make_user("reader"))
    assert client.post(reverse("runs"), form).status_code == 403
    client.force_login(make_user("curator"))
    made = client.post(reverse("runs"), form)
    run = EvaluationRun.objects.get()
    assert (made["Location"], run.task_set.size) == (run.get_absolute_url(), 2)
    assert AuditEntry.objects.filter(action="run.create", target_id=str(run.pk)).exists()
    again = client.post(reverse("runs"), form)
    assert again.status_code == 400
    assert "There is a run mine already" in again.content.decode()


def test_programs_freeze_and_read_runs(tasks, client):
    headers = {"Authorization": f"Bearer {token_for(make_user('curator'), 'read', 'curate')}"}
    asked = {"name": "mine", "source": "kb", "suite": "Bench"}
    url = reverse("api-runs")
    made = client.post(url, asked, content_type="application/json", headers=headers)
    assert (made.status_code, made.json()["tasks"]) == (201, 4)
    found = client.get(made["Location"], headers=headers).json()
    assert found["metrics"]["all"]["G_speedup"] == pytest.approx(1.189207115)
    assert found["turns"][0]["right"] == 0.25
    table = client.get(f"{made['Location']}tables/difficulty/", headers=headers).json()
    assert table["rows"][0] == ["easy", 2, 500, 0.5, 0.5]
    listed = client.get(url, headers=headers).json()["results"]
    assert [one["name"] for one in listed] == ["mine"]
    for faulty in ({**asked, "source": "nobody"}, asked, {**asked, "name": "x", "profile": "exact"}):
        assert client.post(url, faulty, content_type="application/json", headers=headers).status_code == 400
    assert client.get(f"{made['Location']}?on=A100", headers=headers).status_code == 400
    assert client.get(f"{made['Location']}tables/nothing/", headers=headers).status_code == 404


def test_the_command_freezes_shows_and_lists(tasks, capsys):
    call_command("runs", "create", "mine", "--source", "kb", "--suite", "Bench")
    call_command("runs", "list")
    call_command("runs", "show", "mine")
    said = capsys.readouterr().out
    assert json.loads(said.splitlines()[-1])["metrics"]["all"]["fast_1"] == 0.25
    call_command("runs", "show", "mine", "--table", "difficulty")
    assert capsys.readouterr().out.splitlines()[1] == '"easy",2,500,0.5,0.5'
    with pytest.raises(CommandError, match="No run is called 'none'"):
        call_command("runs", "show", "none")
    with pytest.raises(CommandError, match="No source is called 'none'"):
        call_command("runs", "create", "x", "--source", "none")
