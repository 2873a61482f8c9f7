"""Tests of which functions are named after an operator: whole names that are called, not parts of other names."""

import pytest

from datasets_app.syntax.operator_map import is_named_after, operator_map

REFERENCE = """import torch
class Model(torch.nn.Module):
    def forward(self, x, gate, y):
        return torch.nn.functional.silu(gate) * x + y
"""
KERNEL = """import torch
from torch.utils.cpp_extension import load_inline
cuda = r'''
__global__ void silu_gate_add(const float* x, const float* g, const float* y, float* o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[i] = g[i] / (1.0f + expf(-g[i])) * x[i] + y[i];
}
torch::Tensor run(torch::Tensor x) { silu_gate_add<<<1, 32>>>(x.data_ptr<float>(), 0, 0, 0, 1); return x; }
'''
ext = load_inline("e", "", cuda, functions=["run"])
class ModelNew(torch.nn.Module):
    def forward(self, x, gate, y):
        return ext.run(x)
"""


def row_of(operator, kernel, reference=REFERENCE):
    return {row.operator: row for row in operator_map(reference, kernel)}[operator]


def test_an_operator_in_another_functions_name_is_not_located_by_it():
    row = row_of("add", KERNEL)
    assert [sign.how for sign in row.signs] == ["a function whose name mentions it among other words"]
    assert not row.is_located


def test_a_function_of_that_name_locates_it_if_it_is_called():
    called = KERNEL.replace("silu_gate_add", "add_kernel")
    assert row_of("add", called).is_located
    assert not row_of("add", called.replace("add_kernel<<<1, 32>>>", "other<<<1, 32>>>")).is_located


@pytest.mark.parametrize(
    ("function", "operator"),
    [
        ("softmax", "softmax"),
        ("softmax_rows_kernel", "softmax"),
        ("LayerNormForward", "layer_norm"),
        ("layernorm_fp32", "layer_norm"),
        ("warp_reduce_sum", "sum"),
        ("conv2d_kernel", "conv2d"),
        ("max_pool2d_cuda", "max_pool2d"),
    ],
)
def test_words_of_how_it_is_computed_are_no_other_operation(function, operator):
    assert is_named_after(function, operator)


@pytest.mark.parametrize(
    ("function", "operator"),
    [
        ("silu_gate_add", "add"),
        ("log_softmax_kernel", "softmax"),
        ("padding", "add"),
        ("conv1d_kernel", "conv2d"),
        ("cumsum", "sum"),
        ("kernel", "add"),
    ],
)
def test_a_part_of_a_name_names_nothing(function, operator):
    assert not is_named_after(function, operator)
