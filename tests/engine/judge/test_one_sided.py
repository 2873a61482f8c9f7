"""Tests that inputs which a task never draws below zero get both signs, and only those that may have them."""

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.one_sided import one_sided, signed  # noqa: E402


def test_measurements_that_are_never_negative_are_found():
    counts, shares = torch.randint(0, 9, (64,)).float(), torch.rand(8, 16).softmax(-1)
    inputs = [torch.rand(8, 16), {"x": torch.randn(8, 16), "y": torch.rand(8) + 3}, 0.5, counts, shares]
    assert one_sided(inputs) == [0, 2]


def test_what_may_be_probabilities_stays_where_the_task_takes_nothing_else():
    assert one_sided([torch.rand(8, 16), torch.rand(8, 16) + 1], keeps_unit=True) == [1]


def test_only_the_chosen_inputs_get_signs_and_sizes_stay():
    inputs = [torch.rand(8, 16), torch.rand(8, 16)]
    first, second = signed(inputs, [1])
    assert torch.equal(first, inputs[0])
    assert torch.equal(second.abs(), inputs[1])
    assert 0 < int((second < 0).sum()) < second.numel()


def test_orders_and_symmetric_matrices_stay_what_they_are():
    matrix = torch.rand(16, 16)
    inputs = [torch.rand(4, 17).sort(-1).values, matrix + matrix.t()]
    ordered, symmetric = signed(inputs, [0, 1])
    assert bool((ordered.diff(dim=-1) >= 0).all())
    assert torch.equal(symmetric, symmetric.t())
    assert bool((symmetric < 0).any())
