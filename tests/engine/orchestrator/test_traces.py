"""Tests of traces from earlier verifications: of the same program on the same task, and only with kernels."""

from dataclasses import replace

import pytest

from eval_app.engine import Job
from eval_app.engine.orchestrator import traces
from eval_app.engine.orchestrator.task_store import TaskStore

JOB = Job("a", "a task", "a kernel")
SEEN = {"kernels": [["relu_kernel", 1.0, 3.5]], "triton": []}


@pytest.fixture
def store(tmp_path):
    return TaskStore(tmp_path, {"kind": "cuda", "name": "a GPU"}, {"torch": "2.11"})


def test_the_kernels_of_a_program_are_known_to_its_next_verification(store):
    traces.keep(store, JOB, {"trace": SEEN})
    assert traces.find(store, replace(JOB, id="b")) == SEEN
    assert traces.find(store, replace(JOB, candidate="another kernel")) is None


def test_a_job_that_asks_for_machine_code_is_traced_for_it(store):
    traces.keep(store, JOB, {"trace": SEEN})
    assert traces.find(store, replace(JOB, inspect=True)) is None


@pytest.mark.parametrize("trace", [None, [], {"missing": "the profiler saw no kernel"}, {"kernels": []}])
def test_a_call_whose_kernels_were_not_seen_is_traced_again(store, trace):
    traces.keep(store, JOB, {"trace": trace})
    assert traces.find(store, JOB) is None


def test_a_task_and_a_program_are_not_taken_for_another_task_with_the_rest_of_it(store):
    traces.keep(store, replace(JOB, reference="a task\nx = 1", candidate="a kernel"), {"trace": SEEN})
    assert traces.find(store, replace(JOB, reference="a task", candidate="x = 1\na kernel")) is None
