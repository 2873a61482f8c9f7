"""Tests of `engine admit`: the value of a pass on a task, from the task's reference alone."""

import json

import pytest

from eval_app.engine.cli import main, reference_as_candidate
from eval_app.engine.contract.schema import ContractError

TASK = """import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return {body}


def get_inputs():
    return [torch.randn(32, 32)]


def get_init_inputs():
    return []
"""


def test_a_task_without_a_reference_is_refused_with_a_sentence():
    with pytest.raises(ContractError, match="id and reference"):
        reference_as_candidate({"id": "a"})


def test_the_reference_stands_in_for_the_candidate():
    job = reference_as_candidate({"id": "a", "reference": "class Model: ...", "candidate": "ignored"})
    assert job["candidate"].endswith("class ModelNew(Model):\n    pass\n")


@pytest.mark.engine
def test_a_task_whose_output_never_moves_is_told_from_one_whose_does(tmp_path):
    bodies = {"moves": "torch.relu(x)", "stands": "torch.clamp(x.abs(), max=0.0)"}
    lines = [json.dumps({"id": name, "reference": TASK.format(body=body)}) for name, body in bodies.items()]
    (tmp_path / "tasks.jsonl").write_text("\n".join(lines))
    output = tmp_path / "out.jsonl"
    status = main(["admit", str(tmp_path / "tasks.jsonl"), "-o", str(output), "--device", "cpu"])
    told = {row["id"]: row for row in map(json.loads, output.read_text().splitlines())}
    assert status == 0
    assert told["moves"]["admission"]["output_moves"] != told["stands"]["admission"]["output_moves"]
    assert told["stands"]["admission"]["operator_calls"] == 2
    assert told["moves"]["admission"]["operator_calls_on"] == "meta"
    assert "degenerate_task" in {finding["code"] for finding in told["stands"]["findings"]}
