"""Tests of a task's work, counted on its reference: each byte once, views at no cost."""

import pytest

pytest.importorskip("torch")

import torch

from eval_app.engine.judge.clock import roofline
from eval_app.engine.judge.task.cases import CaseMaker
from eval_app.engine.judge.task.reference import Reference

TASK = """
import torch
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        {init}
    def forward(self, x):
        return {body}
def get_inputs():
    return [{inputs}]
"""


def count(tmp_path, body, inputs="torch.randn(32, 64)", init="pass"):
    source = TASK.format(body=body, inputs=inputs, init=init)
    with torch.no_grad():
        reference = Reference(source, tmp_path, torch.device("cpu"), 1)
        return roofline.count(reference, CaseMaker(reference).make())


def test_inputs_and_outputs_count_once_each(tmp_path):
    assert count(tmp_path, "torch.relu(x) + x") == {
        "bytes": 2 * 32 * 64 * 4, "written_bytes": 32 * 64 * 4,
        "flops": 0, "other_flops": 2 * 32 * 64, "double_flops": 0, "uncounted": [], "arithmetic": "fp32",
    }  # fmt: skip


def test_operations_in_double_precision_are_told_apart(tmp_path):
    body = "(torch.relu(x) + x, x.double() @ x.double().t())[1] * 2.0"
    found = count(tmp_path, body)
    assert found["flops"] == 2 * 32 * 64 * 32
    assert found["other_flops"] == 2 * 32 * 64 + 32 * 32
    assert found["double_flops"] == 2 * 32 * 64 * 32 + 32 * 32


def test_a_linear_layer_counts_its_weights_and_its_products(tmp_path):
    found = count(tmp_path, "self.layer(x)", init="self.layer = torch.nn.Linear(64, 16)")
    assert found["bytes"] == 4 * (32 * 64 + 64 * 16 + 16 + 32 * 16)
    assert found["flops"] == 2 * 32 * 64 * 16


def test_an_output_that_is_a_view_of_an_input_is_not_written(tmp_path):
    found = count(tmp_path, "x.t()")
    assert found["written_bytes"] == 0
    assert found["bytes"] == 32 * 64 * 4


def test_an_output_that_repeats_one_value_is_written_once(tmp_path):
    assert count(tmp_path, "x.sum().expand(1000)")["written_bytes"] == 4


def test_a_table_counts_with_the_rows_that_are_looked_up(tmp_path):
    found = count(
        tmp_path, "self.table(x)", "torch.randint(0, 5000, (8,))", "self.table = torch.nn.Embedding(5000, 32)"
    )
    assert found["bytes"] == 8 * 8 + 8 * 32 * 4


def test_the_fastest_arithmetic_that_the_tensors_allow_is_named(tmp_path):
    assert count(tmp_path, "x * 2", "torch.randn(4).double()")["arithmetic"] == "fp64"
    assert count(tmp_path, "x * 2", "torch.randn(4).bfloat16()")["arithmetic"] == "half"
    assert count(tmp_path, "x.float() * 2", "torch.randn(4).to(torch.float8_e4m3fn)")["arithmetic"] == "8-bit"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_scripted_module_has_its_bytes_and_no_count_of_operations_or_a_right_one(tmp_path):
    found = count(
        tmp_path, "self.f(x)", init="self.f = torch.jit.trace(lambda t: t @ t.t(), torch.randn(32, 64))"
    )
    assert found["bytes"] == 4 * (32 * 64 + 32 * 32)
    assert found["flops"] in (None, 2 * 32 * 64 * 32)


def test_outputs_larger_than_the_cache_are_bound_by_the_memory_itself():
    assert roofline.least_ms(100e6, 50e6, 1e6) == 50.0
    assert roofline.least_ms(300e6, 50e6, 1e6) == 250.0
    assert roofline.least_ms(0, 50e6, 1e6) == 0.0


def test_a_machine_tells_what_it_can_do():
    rates = roofline.measure_peaks(torch.device("cpu"))
    assert 1e8 < rates["bytes_per_s"] < 1e13
    assert set(rates["flops_per_s"]) == {"fp64", "fp32"}
