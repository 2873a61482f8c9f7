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


def gradients(model, x, upstream, targets=(0,), take=lambda outputs: None, **named):
    with torch.no_grad():
        tree = {"list": [{"tensor": 0}]}
        device = torch.device("cpu")
        return gradients_of(model, tree, [x], WANTED, [upstream], list(targets), device, take, **named)


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


def test_outputs_are_taken_before_the_backward_pass():
    taken = []
    gradients(Overwriting.apply, torch.full((3, 2), 2.0), torch.ones(3, 2), take=taken.extend)
    assert [(tensor.unique().item(), tensor.requires_grad) for tensor in taken] == [(4.0, False)]


class Scaled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.tensor(3.0))
        self.needed = []

    def forward(self, x):
        self.needed.append((x.requires_grad, self.weight.requires_grad))
        return x * self.weight


def test_what_is_not_asked_for_needs_no_gradient():
    model, x = Scaled(), torch.rand(3, 2)
    gradients(model, x, torch.ones(3, 2), [0], frozen=True)
    gradients(model, x, torch.ones(3, 2), ["weight"])
    gradients(model, x, torch.ones(3, 2), [0, "weight"])
    assert model.needed == [(True, False), (False, True), (True, True)]
    assert model.weight.requires_grad
