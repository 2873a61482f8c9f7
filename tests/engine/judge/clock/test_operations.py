"""Tests of the table of operations: what an operator's definition needs, and the name of what nothing counts."""

import pytest

pytest.importorskip("torch")

import torch
from torch import nn
from torch.nn import functional
from torch.utils.flop_counter import FlopCounterMode

from eval_app.engine.judge.clock.operations import _BY_HAND, _FREE, _PER_INPUT, _PER_RESULT, OperationCounter

N = 32 * 64


def counted(compute):
    with torch.no_grad(), OperationCounter() as counter:
        compute(torch.rand(32, 64))
    return counter.operations, counter.uncounted


@pytest.mark.parametrize(
    ("compute", "operations"),
    [
        (lambda x: torch.relu(x) + x, 2 * N),
        (lambda x: x.add(x, alpha=2), 2 * N),
        (lambda x: x.mul_(2).add_(1), 2 * N),
        (lambda x: x.t().reshape(-1).clone(), 0),
        (lambda x: torch.cat([x, x])[:, :10], 0),
        (lambda x: torch.sigmoid(x), 4 * N),
        (lambda x: functional.gelu(x), 5 * N),
        (lambda x: functional.gelu(x, approximate="tanh"), 9 * N),
        (lambda x: x.sum(1), N),
        (lambda x: x.mean(), N),
        (lambda x: torch.softmax(x, 1), 5 * N),
        (lambda x: functional.mse_loss(x, x), 3 * N),
        (lambda x: functional.layer_norm(x, (64,)), 5 * N),
        (lambda x: functional.layer_norm(x, (64,), torch.ones(64), torch.ones(64)), 7 * N),
        (lambda x: functional.group_norm(x, 4, torch.ones(64), torch.ones(64)), 7 * N),
        (lambda x: nn.BatchNorm1d(64)(x), 7 * N),
        (lambda x: nn.BatchNorm1d(64, affine=False).eval()(x), 2 * N),
        (lambda x: functional.max_pool2d(x.view(1, 2, 32, 32), 2), N),
        (lambda x: functional.avg_pool2d(x.view(1, 2, 32, 32), (2, 4)), N),
        (lambda x: functional.adaptive_avg_pool2d(x.view(1, 2, 32, 32), 4), N + 32),
        (lambda x: torch.zeros(10, 64).index_add(0, torch.zeros(32, dtype=torch.long), x), N),
        (lambda x: torch.arange(100) * 2, 0),  # of integers
    ],
)
def test_each_operator_counts_as_its_definition_says(compute, operations):
    assert counted(compute) == (operations, [])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
@pytest.mark.parametrize(
    ("compute", "operations"),
    [
        (lambda x: x @ x.t(), 0),
        (lambda x: torch.bmm(x[None], x.t()[None]), 0),
        (lambda x: torch.addmm(x.new_zeros(32), x, x.t()), 0),
        (lambda x: functional.linear(x, x.new_ones(8, 64)), 0),
        (lambda x: functional.conv1d(x[None], x.new_ones(8, 32, 3)), 0),
        (lambda x: functional.conv2d(x.view(1, 2, 32, 32), x.new_ones(4, 2, 3, 3), padding=1), 0),
        (lambda x: functional.conv_transpose2d(x.view(1, 2, 32, 32), x.new_ones(2, 4, 3, 3), stride=2), 0),
        (lambda x: torch.einsum("ij,kj->ik", x, x) + 1, 32 * 32),
    ],
)
def test_products_count_as_by_torchs_own_counter_and_those_in_double_precision_apart(
    compute, operations, mode, dtype
):
    with mode(), FlopCounterMode(display=False) as torchs:
        compute(torch.rand(32, 64, dtype=dtype))
    with mode(), OperationCounter() as counter:
        compute(torch.rand(32, 64, dtype=dtype))
    assert counter.products == torchs.get_total_flops() > 0
    assert (counter.operations, counter.uncounted) == (operations, [])
    assert counter.double_operations == (counter.products + operations if dtype is torch.float64 else 0)


def test_what_nothing_counts_is_named_once():
    assert counted(lambda x: (x.sort(), x.sort(), x.topk(3))) == (0, ["sort", "topk"])


def test_a_product_of_complex_numbers_is_four_and_what_else_is_done_with_them_is_named():
    x = torch.randn(8, 8, dtype=torch.complex64)
    with OperationCounter() as counter:
        (x @ x) * x
    assert (counter.products, counter.operations, counter.uncounted) == (4 * 2 * 8**3, 0, ["mul"])


def test_every_name_of_the_table_is_an_operator_of_torch_and_stands_in_it_once():
    names = [*_PER_RESULT, *_PER_INPUT, *_BY_HAND, *_FREE]
    assert len(names) == len(set(names))
    assert [
        name
        for name in names
        if not hasattr(torch.ops.aten, name) and not hasattr(torch.ops.aten, f"{name}_")
    ] == []
