"""Tests of a run over a frozen set of tasks: what is missing, undecided or no kernel counts as wrong."""

import json

import pytest
from django.core.management import CommandError, call_command

from datasets_app.analysis.evaluation import evaluate
from datasets_app.analysis.metrics import MetricError
from datasets_app.models import Candidate, Sample, Synthesis, Task
from tests.curate.store import failed, passed
from tests.factories import make_sample, make_source, make_task
from tests.verifications import H200

pytestmark = pytest.mark.django_db


@pytest.fixture
def run():
    """Four tasks: one passed twice as fast, one failed, one not verified, one without a sample."""
    tasks, source = [make_task() for _ in range(4)], make_source("a run")
    passed(tasks[0], source=source, speedup=2.0)
    failed(task=tasks[1], source=source)
    make_sample(tasks[2], source=source)
    passed(tasks[3], source=make_source("another run"), speedup=9.0)
    return source


def test_missing_tasks_and_undecided_runs_are_wrong(run):
    judged = evaluate(run, Task.objects.all(), H200)
    assert judged.outcomes == {"passed": 1, "wrong_value": 1, "undecided": 1, "missing": 1}
    metrics = judged.metrics([1.0], [1, 2])
    assert (metrics["fast_0"], metrics["fast_1"], metrics["pass@1"], metrics["best@1"]) == (
        0.25,
        0.25,
        0.25,
        0.5,
    )
    assert metrics["pass@2"] is None
    assert (metrics["geometric_mean_speedup"], metrics["tasks_with_a_speedup"]) == (pytest.approx(2.0), 1)


def test_candidates_that_were_asked_for_and_are_not_there_are_wrong(run):
    judged = evaluate(run, Task.objects.all(), H200, per_task=2)
    assert judged.outcomes["missing"] == 5
    assert judged.metrics([1.0], [2])["pass@2"] == 0.25
    make_sample(Task.objects.filter(samples__outcome="passed", samples__source=run).get(), source=run)
    with pytest.raises(MetricError, match="more than 1 candidates"):
        evaluate(run, Task.objects.all(), H200, per_task=1)


def test_another_device_has_no_evidence_and_so_no_pass(run):
    assert evaluate(run, Task.objects.all(), "NVIDIA A100").metrics([1.0], [1])["fast_0"] == 0


def test_two_runs_compare_where_their_tasks_are_the_same(run):
    everything, some = Task.objects.all(), Task.objects.filter(samples__source=run)
    assert (
        evaluate(run, everything, H200).tasks_sha256
        == evaluate(make_source("x"), everything, H200).tasks_sha256
    )
    assert evaluate(run, everything, H200).tasks_sha256 != evaluate(run, some, H200).tasks_sha256


def test_an_answer_of_a_synthesis_that_holds_no_kernel_is_wrong_and_a_repeated_one_counts_each_time(run):
    sample = Sample.objects.get(outcome="passed", source=run)
    synthesis = Synthesis.objects.create(
        name="asked", endpoint="local", model="m", template="zero-shot 1", messages=[], per_task=4, seed=0, at_once=1,
        source=run,
    )  # fmt: skip
    states = [
        ("stored", "", sample),
        ("stored", "", sample),
        ("refused", "empty", None),
        ("failed", "timeout", None),
    ]
    for number, (state, reason, stored) in enumerate(states):
        Candidate.objects.create(
            synthesis=synthesis, task=sample.task, number=number, state=state, reason=reason, sample=stored
        )
    judged = evaluate(run, Task.objects.filter(pk=sample.task_id), H200)
    assert judged.outcomes == {"passed": 2, "no kernel": 2}
    assert judged.metrics([1.0], [1])["fast_1"] == 0.5


def test_an_answer_that_another_source_has_already_counts_with_its_verdict(run):
    sample = Sample.objects.get(outcome="passed", source=run)
    second = make_source("asked later")
    synthesis = Synthesis.objects.create(
        name="asked later", endpoint="local", model="m", template="zero-shot 1", messages=[], per_task=1, seed=0,
        at_once=1, source=second,
    )  # fmt: skip
    Candidate.objects.create(synthesis=synthesis, task=sample.task, number=0, state="stored", sample=sample)
    judged = evaluate(second, Task.objects.filter(pk=sample.task_id), H200)
    assert judged.outcomes == {"passed": 1}


def test_the_command_prints_a_table_and_json(run, capsys):
    call_command("evaluate", "a run", "--device", H200, "-p", "1", "-k", "1")
    out = capsys.readouterr().out
    said = json.loads(out.splitlines()[-1])
    assert (said["tasks"], said["per_task"], said["metrics"]["fast_1"]) == (4, 1, 0.25)
    assert "fast_1 is from 0.0456 to 0.6994 with 95 % confidence" in out
    assert "1 missing, 1 passed, 1 undecided, 1 wrong_value" in out
    assert said["undecided_in"] == {"python": 1}


def test_the_command_says_what_is_wrong(run):
    with pytest.raises(CommandError, match="No source is called 'none'"):
        call_command("evaluate", "none")
    with pytest.raises(CommandError, match="no task matches"):
        call_command("evaluate", "a run", "--device", H200, "--suite", "none")


def test_the_queries_do_not_grow_with_the_run(run, django_assert_num_queries):
    with django_assert_num_queries(4):
        evaluate(run, Task.objects.all(), H200)
