"""Tests of the operators in one call of a reference: computing calls of torch, counted per execution."""

import pytest

pytest.importorskip("torch")

import torch

from eval_app.engine.judge.task import operator_calls
from eval_app.engine.judge.task.cases import CaseMaker
from eval_app.engine.judge.task.reference import Reference

TASK = """
import torch
import torch.nn.functional as F
from torch import nn
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = {layer}
    def forward(self, x):
        {body}
def get_inputs():
    return [torch.randn(4, 8)]
"""


def count(tmp_path, body, layer="None"):
    with torch.no_grad():
        reference = Reference(TASK.format(body=body, layer=layer), tmp_path, torch.device("cpu"), 1)
        return operator_calls.count(reference, CaseMaker(reference).make())


def on_meta(calls):
    return {"operator_calls": calls, "operator_calls_on": "meta"}


@pytest.mark.parametrize(
    ("body", "layer"),
    [
        ("return torch.relu(x)", "None"),
        ("return F.cross_entropy(x, torch.zeros(4, dtype=torch.long))", "None"),
        ("return self.layer(x.view(2, 2, 8)).reshape(4, 8).contiguous()", "nn.Linear(8, 8)"),
        ("return self.layer(x)", "nn.BatchNorm1d(8)"),
        ("return self.layer(x, x, x)[0]", "nn.MultiheadAttention(8, 2)"),
        ("return x @ x.T", "None"),
    ],
)
def test_a_call_counts_once_whatever_it_dispatches_and_views_and_counters_do_not(tmp_path, body, layer):
    assert count(tmp_path, body, layer) == on_meta(1)


@pytest.mark.parametrize(
    ("body", "layer", "calls"),
    [
        ("return torch.relu(torch.relu(torch.relu(x)))", "None", 3),
        ("return sum(self.layer(x) for _ in range(4)).sum()", "nn.Linear(8, 8)", 4 + 4 + 1),
        ("return self.layer(x)", "torch.jit.script(nn.Sequential(nn.ReLU(), nn.Tanh()))", 2),
        ("return x", "None", 0),
    ],
)
def test_an_operator_counts_as_often_as_it_runs(tmp_path, body, layer, calls):
    assert count(tmp_path, body, layer) == on_meta(calls)


def test_a_program_that_needs_values_is_traced_where_it_has_them(tmp_path):
    found = count(tmp_path, "return x * float(x.max().item())")
    assert found == {"operator_calls": 2, "operator_calls_on": "cpu"}


def test_a_program_that_fails_under_the_trace_has_no_count(tmp_path):
    body = "assert not torch.overrides._is_torch_function_mode_enabled()\n        return x"
    assert count(tmp_path, body) == {}


def test_counting_leaves_weights_and_inputs_as_they_were(tmp_path):
    source = TASK.format(body="x.zero_()\n        return self.layer(x)", layer="nn.BatchNorm1d(8)")
    with torch.no_grad():
        reference = Reference(source, tmp_path, torch.device("cpu"), 1)
        case = CaseMaker(reference).make()
        before = {name: value.clone() for name, value in reference.weights().items()}
        inputs = [tensor.clone() for tensor in case.tensors]
        operator_calls.count(reference, case)
    assert all(torch.equal(value, before[name]) for name, value in reference.weights().items())
    assert all(torch.equal(*pair) for pair in zip(inputs, case.tensors, strict=True))
