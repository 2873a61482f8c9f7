"""Tests of the calls of torch that a kernel program executes, and those that only occur in its text."""

import pytest

from datasets_app.syntax.operator_map import operator_map
from datasets_app.syntax.torch_calls import (
    ALWAYS,
    FALLBACK,
    GRADIENTS,
    HANDED_ON,
    NOTHING_CALLS,
    SOME_PATHS,
    WEIGHTS,
    torch_calls,
)

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
LAYER = f"""{HEAD}
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)

    def forward(self, x):
        return USE
"""


def of(program, operator):
    return {how: tuple(lines) for how, lines in torch_calls(program)[operator].items()}


def forward(body, more=""):
    lines = "\n".join(f"        {line}" for line in body.strip("\n").split("\n"))
    return f"{HEAD}{more}\nclass ModelNew(nn.Module):\n    def forward(self, x):\n{lines}\n"


def test_a_layer_that_forward_calls_is_called_where_it_stands_in_forward():
    assert of(LAYER.replace("USE", "self.conv(x)"), "conv2d") == {ALWAYS: (11,)}


def test_a_layer_that_only_gives_its_weights_is_not_called():
    program = LAYER.replace("USE", "extension.convolve(x, self.conv.weight, self.conv.bias)")
    assert of(program, "conv2d") == {WEIGHTS: (8,)}


def test_what_becomes_of_a_layer_that_is_handed_on_cannot_be_told():
    assert of(LAYER.replace("USE", "extension.convolve(x, self.conv)"), "conv2d") == {HANDED_ON: (8,)}


def test_a_layer_inside_a_sequential_is_called_with_it():
    program = LAYER.replace("nn.Conv2d(3, 8, 3)", "nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU())")
    program = program.replace("USE", "self.conv(x)")
    assert of(program, "conv2d") == of(program, "relu") == {ALWAYS: (11,)}


def test_a_call_after_an_early_return_is_made_on_some_paths():
    program = forward("if x.is_cuda:\n    return extension.relu(x)\nreturn torch.relu(x)")
    assert of(program, "relu") == {SOME_PATHS: (9,)}


def test_a_check_that_raises_is_no_other_path():
    program = forward("if x.dim() != 2:\n    raise ValueError\nreturn torch.relu(x)")
    assert of(program, "relu") == {ALWAYS: (9,)}


@pytest.mark.parametrize("branch", ["if x.is_cuda:", "else:"])
def test_a_call_in_a_branch_is_made_on_some_paths(branch):
    other = "if x.dim() == 3:\n    y = x\n" if branch == "else:" else ""
    assert set(of(forward(f"{other}{branch}\n    y = torch.relu(x)\nreturn y"), "relu")) == {SOME_PATHS}


def test_a_call_in_an_except_is_a_fallback():
    program = forward("try:\n    return extension.relu(x)\nexcept RuntimeError:\n    return torch.relu(x)")
    assert of(program, "relu") == {FALLBACK: (10,)}


def test_a_helper_is_as_near_as_the_place_that_calls_it():
    helper = "\ndef plain(x):\n    return torch.relu(x)\n"
    tried = "try:\n    return extension.relu(x)\nexcept RuntimeError:\n    return plain(x)"
    assert set(of(forward(tried, helper), "relu")) == {FALLBACK}
    assert set(of(forward("return plain(x)", helper), "relu")) == {ALWAYS}
    assert set(of(forward("return extension.relu(x)", helper), "relu")) == {NOTHING_CALLS}


def test_the_reference_left_in_the_file_is_called_by_nothing():
    reference = "\nclass Model(nn.Module):\n    def forward(self, x):\n        return torch.relu(x)\n"
    assert set(of(forward("return extension.relu(x)", reference), "relu")) == {NOTHING_CALLS}


def test_a_backward_pass_is_for_gradients_only():
    function = """
class Relu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return extension.relu(x)

    @staticmethod
    def backward(ctx, gradient):
        return gradient * torch.sigmoid(gradient)
"""
    assert set(of(forward("return Relu.apply(x)", function), "sigmoid")) == {GRADIENTS}


def test_functions_that_call_each_other_are_followed_once():
    more = "\ndef one(x):\n    return two(torch.relu(x))\n\ndef two(x):\n    return one(x)\n"
    assert set(of(forward("return extension.relu(x)", more), "relu")) == {NOTHING_CALLS}


def test_batch_norm_has_one_name_as_layer_and_as_function():
    reference = LAYER.replace("Conv2d(3, 8, 3)", "BatchNorm2d(8)").replace("USE", "self.conv(x)")
    reference = reference.replace("ModelNew", "Model")
    (row,) = operator_map(reference, forward("return F.batch_norm(x, self.mean, self.var)"))
    assert (row.operator, row.signs[0].how, row.is_located) == ("batch_norm2d", ALWAYS, True)


def test_an_operator_of_torch_that_does_the_same_is_named():
    reference = LAYER.replace("Conv2d(3, 8, 3)", "Linear(3, 8)").replace("USE", "self.conv(x)")
    (row,) = operator_map(reference.replace("ModelNew", "Model"), forward("return torch.addmm(b, x, w)"))
    assert [(sign.how, sign.lines) for sign in row.signs] == [("torch's addmm, which can do the same", (7,))]


def test_a_clamp_can_stand_for_a_relu():
    reference = LAYER.replace("Conv2d(3, 8, 3)", "ReLU()").replace("USE", "self.conv(x)")
    (row,) = operator_map(reference.replace("ModelNew", "Model"), forward("return x.clamp(min=0)"))
    assert ("torch's clamp, which can do the same", (7,)) in [(sign.how, sign.lines) for sign in row.signs]


def test_weights_and_comments_do_not_tell_where_an_operator_is_computed():
    reference = LAYER.replace("USE", "self.conv(x)").replace("ModelNew", "Model")
    program = LAYER.replace("USE", "extension.f(x, self.conv.weight)  # not nn.conv2d")
    (row,) = operator_map(reference, program)
    assert [sign.how for sign in row.signs] == [WEIGHTS, "a comment that names it"]
    assert not row.is_located
