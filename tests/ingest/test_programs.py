import pytest

from datasets_app.syntax.languages import detect_language
from datasets_app.syntax.program import MOST_OPERATORS, analyse, definition, rename_class

FORM = """import torch
import torch.nn as nn
import torch.nn.functional as F

class Model(nn.Module):
    def __init__(self, size):
        super().__init__()
        {init}

    def forward(self, x, y):
        {forward}

def get_inputs():
    return [torch.randn(4).abs()]
"""


def program(forward: str, init: str = "pass") -> str:
    return FORM.format(forward=forward, init=init)


@pytest.mark.parametrize(
    ("forward", "init", "operators", "kind"),
    [
        ("return torch.relu(x)", "pass", {"relu"}, "elementwise"),
        ("return x @ y", "pass", {"matmul"}, "matmul"),
        ("n = x.shape[0] * 2\n        return x.view(n, -1).sum(1)", "pass", {"sum"}, "reduction"),
        ("return self.conv(x)", "self.conv = nn.Conv2d(3, 3, 1)", {"conv2d"}, "convolution"),
        ("return F.cross_entropy(x, y)", "pass", {"cross_entropy"}, "loss"),
        ("return torch.cumsum(x, 0)", "pass", {"cumsum"}, "scan"),
        ("return self.norm(x) * 2", "self.norm = nn.LayerNorm(size)", {"layer_norm", "mul"}, "normalisation"),
        ("return self.table(x)", "self.table = nn.Embedding(9, size)", {"embedding"}, "gather"),
        ("return F.max_pool2d(x, 2)", "pass", {"max_pool2d"}, "pooling"),
        ("return (x @ y).softmax(-1) @ y", "pass", {"matmul", "softmax"}, "attention"),
        (
            "return F.scaled_dot_product_attention(x, x, y)",
            "pass",
            {"scaled_dot_product_attention"},
            "attention",
        ),
        (
            "return self.net(x)",
            "self.net = nn.Sequential(*[nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)])",
            {"linear"},
            "network",
        ),
        (
            "return x * torch.rsqrt(x.pow(2).mean(-1))",
            "pass",
            {"mul", "rsqrt", "pow", "mean"},
            "normalisation",
        ),
        ("return x", "pass", set(), "other"),
    ],
)
def test_operators_and_kind_are_read_from_the_syntax_tree(forward, init, operators, kind):
    found = analyse(program(forward, init))
    assert (set(found.operators), found.kind) == (operators, kind)


def test_a_program_that_python_runs_out_of_room_for_is_too_long_or_too_deep():
    deep = f"x = {'-' * 50_000}1"
    assert definition(deep, "Model").syntax_error == "too long or too deeply nested to be parsed"


def test_a_program_that_does_not_parse_has_no_operators_and_says_where_it_breaks():
    assert analyse("class (:") == analyse("")
    assert "line 1" in definition("class (:", "Model").syntax_error


def test_no_depth_of_nesting_is_an_error():
    assert analyse("x = " + "(" * 5000 + ")" * 5000).kind == "other"
    assert analyse("x = " + "-" * 50_000 + "1").kind == "other"


@pytest.mark.parametrize(
    ("kernel", "language"),
    [
        ("load_inline(cuda_sources=[source])\n__global__ void f() {}", "cuda"),
        ("load_inline(name='a', cpp_sources=source)", "cpp"),
        ("import triton\n@triton.jit\ndef f(): pass", "triton"),
        ("class ModelNew: pass", "python"),
    ],
)
def test_the_language_is_told_from_what_a_kernel_names(kernel, language):
    assert detect_language(kernel) == language


def test_a_class_is_renamed_where_it_is_a_name_and_nowhere_else():
    text = 'class Net:\n    """Net of nets."""\n    def f(self):\n        return super(Net, self), "Net"  # Net\n'
    assert rename_class(text, "Net", "Model") == (
        'class Model:\n    """Net of nets."""\n    def f(self):\n        return super(Model, self), "Net"  # Net\n'
    )


def test_numbers_of_what_makes_the_layers_are_no_tensors():
    program = """import torch.nn as nn


def rounded(channels, divisor):
    return channels * divisor // 2


class Model(nn.Module):
    def __init__(self, planes):
        super().__init__()
        self.layers = self.make(planes, 4)

    def make(self, planes, expansion):
        return nn.Sequential(nn.Conv2d(planes, rounded(planes, 2) * expansion, 3))

    def forward(self, x):
        return self.layers(x) - 1
"""
    assert analyse(program).operators == ("conv2d", "sub")


def test_a_size_divided_by_a_size_is_no_operator():
    program = """import torch
def windows(x, size):
    B, H = x.shape
    return x.view(B, H // size, size).sum(1)


class Model(torch.nn.Module):
    def forward(self, x):
        return windows(x, 4)
"""
    assert analyse(program).operators == ("sum",)


def test_a_program_of_thousands_of_operators_keeps_some_of_them():
    calls = "".join(f"        x = torch.operator_{number}(x)\n" for number in range(1_000))
    program = f"import torch\nclass Model(torch.nn.Module):\n    def forward(self, x):\n{calls}"
    assert len(analyse(program).operators) == MOST_OPERATORS


@pytest.mark.parametrize("separator", ["\x0c", "\x1c", "\x85", "\u2028"])
def test_a_class_is_renamed_behind_what_ends_a_line_for_unicode_alone(separator):
    text = f"# one{separator}two\nclass Net:\n    other = 1\n\n\nnet = Net()\n"
    assert rename_class(text, "Net", "Model") == text.replace("Net", "Model")
