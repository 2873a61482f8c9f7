"""Tests that a source's declarations beyond the program enter the job: configurations, and gradients."""

import json
import shutil

import pytest

from eval_app.engine import Job
from eval_app.queue.declared_configs import declared
from eval_app.queue.job import job_for
from tests.factories import make_sample, make_task

pytestmark = pytest.mark.django_db

ROBUST = {
    "single_input_configs": [{"rows": 16}],
    "multi_input_configs": [{"rows": 16}, {"rows": 128}],
    "multi_init_configs": [{}],
    "multi_shared_configs": [{}],
}
PROGRAM = """
import torch
class Model(torch.nn.Module):
    def forward(self, x):
        return x * 2
def get_inputs(rows=16):
    return [torch.randn(rows, 8)]
"""


def sample_with(program=None, kernel=None, sample_extra=None, **task_extra):
    task = make_task(program) if program else make_task()
    sample = make_sample(task, kernel=kernel)
    task.body.extra, sample.body.extra = task_extra, sample_extra or {}
    return sample


def names(sample):
    return [config["name"] for config in job_for(sample, "quick")["configs"]]


@pytest.mark.parametrize(
    "extra",
    [
        {"config_forward": json.dumps(ROBUST)},
        {"config_backward": ROBUST},
        {"multi_input_configs": ROBUST["multi_input_configs"]},
        {"configs": [{"inputs": {"rows": 16}}, {"inputs": {"rows": 128}}]},
    ],
)
def test_configurations_of_every_form_reach_the_job(extra):
    assert names(sample_with(**extra)) == ["rows=16", "rows=128"]


def test_a_triples_own_columns_count_where_the_task_has_none():
    assert names(sample_with(sample_extra={"configs": [{"inputs": [3]}]})) == ["[3]"]


@pytest.mark.parametrize(
    "value",
    ["default", 7, {"a": 1}, [1, 2], "[", [{"inputs": {"not a name": 1}}], {"single_input_configs": []}],
)
def test_a_column_that_only_has_the_name_is_left_alone(value):
    job = job_for(sample_with(configs=value, config_forward=value), "quick")
    assert job["configs"] == []


@pytest.mark.parametrize(
    ("value", "asked"), [(True, True), ("yes", True), (False, False), ("", False), (None, False)]
)
def test_gradients_are_asked_for_where_the_source_says_so(value, asked):
    assert job_for(sample_with(backward=value), "quick")["backward"] is asked


def test_a_source_that_declares_nothing_makes_a_plain_job():
    assert declared({"author": "somebody"}) == {}
    job = job_for(sample_with(), "quick")
    assert (job["configs"], job["backward"]) == ([], False)
    assert Job.from_dict(job).to_dict() == job


@pytest.mark.engine
@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")
@pytest.mark.long
def test_a_kernel_that_is_right_on_the_first_size_alone_is_refused(tmp_path):
    from eval_app.engine import Engine

    kernel = PROGRAM.replace("Model(", "ModelNew(").replace("x * 2", "x * 2 if len(x) == 16 else x")
    sample = sample_with(PROGRAM, kernel, config_forward=json.dumps(ROBUST))
    with Engine("cpu", tmp_path) as engine:
        report = engine.verify(Job.from_dict(job_for(sample, "quick")))
    assert report.outcome == "wrong_value"
    assert "under the configuration rows=128" in report.detail
    assert "rows=128" in report.correctness.configs
