"""Tests of the candidate's gradients: tensors are given as they are."""

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.runner.gradients import gradients_of  # noqa: E402

WANTED = [{"where": "output", "shape": [3, 2], "dtype": "float32", "device": "cpu"}]


class Overwriting(torch.autograd.Function):
    """A square whose backward pass overwrites all that it has."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.square()

    @staticmethod
    def backward(ctx, upstream):
        (x,) = ctx.saved_tensors
        gradient = 2 * x * upstream
        x.detach().zero_()
        upstream.zero_()
        return gradient


def gradients(model, x, upstream):
    with torch.no_grad():
        tree = {"list": [{"tensor": 0}]}
        return gradients_of(model, tree, [x], WANTED, [upstream], [0], torch.device("cpu"))


def test_an_expanded_upstream_gradient_is_one_value_for_all_elements():
    x = torch.rand(3, 2)
    [gradient] = gradients(torch.square, x, torch.tensor(3.0).expand(3, 2))
    torch.testing.assert_close(gradient, 6 * x)


def test_what_a_backward_pass_overwrites_shows_in_the_tensors_that_it_was_given():
    x, upstream = torch.rand(3, 2), torch.ones(3, 2)
    wanted = 2 * x
    [gradient] = gradients(Overwriting.apply, x, upstream)
    torch.testing.assert_close(gradient, wanted)
    assert not x.any()
    assert not upstream.any()
