"""Tests of a task's configurations: two equivalent forms; malformed ones are refused with their position."""

import pytest

from eval_app.engine import ContractError, Job
from eval_app.engine.contract.configs import MAX_CONFIGS, read_configs

ROBUST = {
    "multi_input_configs": [{"batch_size": 2}, {"batch_size": 3}],
    "multi_init_configs": [{"init_method": "random"}],
    "multi_shared_configs": [{"features": 8}, {"features": 9}],
    "single_input_configs": [{"batch_size": 99}],
}


def test_lists_are_combined_each_with_each():
    configs = read_configs(ROBUST)
    assert [c.name for c in configs] == [
        f"batch_size={batch}, init_method=random, features={features}"
        for batch in (2, 3)
        for features in (8, 9)
    ]
    assert configs[0].shared == {"features": 8}


def test_a_config_without_a_name_is_called_by_its_arguments():
    assert [c.name for c in read_configs([{"init": [4]}, {"inputs": {"n": 2}}, {"name": "own words"}])] == [
        "[4]", "n=2", "own words",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("text", "must be a list"),
        ({}, "must hold one of"),
        ({"multi_init_configs": [1]}, "list of objects"),
        ([{"init": "4"}], "list or an object"),
        ([{"init": {"a b": 1}}], "parameter names"),
        ([{"init": [[[[[[1]]]]]]}], "too deeply"),
        ([{"inputs": ["x" * 2000]}], "plain values"),
        ([{"inputs": [["x"] * 100 + ["x" * 2000]]}], "plain values"),
        ([{"inputs": [["x" * 1000] * 1000]}], "more than 1,000,000 characters"),
        ({"multi_init_configs": [{"a": ["x" * 1000] * 100}], "multi_input_configs": [{}] * 20}, "more than"),
        ([{"unknown": 1}], "must be an object with"),
        ([{"name": "a"}, {"name": "a"}], "duplicate name"),
        ([{"name": str(n)} for n in range(MAX_CONFIGS + 1)], "at most"),
    ],
)
def test_what_is_malformed_is_refused_with_its_place(data, words):
    with pytest.raises(ContractError, match=words):
        read_configs(data)


def test_a_job_carries_them_through_json():
    job = Job.from_dict({"id": "a", "reference": "r", "candidate": "c", "configs": ROBUST, "backward": True})
    assert Job.from_dict(job.to_dict()) == job
    assert job.backward
    assert len(job.task()["configs"]) == 4
