"""Reference programs that attack Python's parser, the search for operators and the pane."""

from tests.hostile.texts import filled, hostile

MODEL = """import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return [torch.randn(4)]


def get_init_inputs():
    return []


"""
LARGE = 1_900_000


@hostile("program")
def lines() -> str:
    return MODEL + "0\n" * 900_000


@hostile("program")
def blank_lines() -> str:
    return MODEL + "\n" * LARGE


@hostile("program")
def parentheses() -> str:
    return MODEL + "x = " + "(" * 100_000 + ")" * 100_000 + "\n"


@hostile("program")
def parentheses_that_parse() -> str:
    return MODEL + ("x = " + "(" * 90 + "1" + ")" * 90 + "\n") * 8_000


@hostile("program")
def minus_signs() -> str:
    return MODEL + "x = " + "-" * 100_000 + "1\n"


@hostile("program")
def sums() -> str:
    return MODEL + "x = 1" + " + 1" * 100_000 + "\n"


@hostile("program")
def sums_of_tensors() -> str:
    return (
        MODEL
        + "class Other(nn.Module):\n    def forward(self, x):\n"
        + ("        x = x" + " + x" * 180 + "\n") * 1_500
    )


@hostile("program")
def lambdas() -> str:
    return MODEL + "f = " + "lambda: " * 50_000 + "1\n"


@hostile("program")
def attributes() -> str:
    return MODEL + "f = x" + ".a" * 300_000 + "\n"


@hostile("program")
def attributes_that_parse() -> str:
    return MODEL + ("x" + ".a" * 150 + "()\n") * 5_000


@hostile("program")
def digits() -> str:
    return MODEL + "x = " + "9" * 1_000_000 + "\n"


@hostile("program")
def functions_that_call_each_other() -> str:
    return MODEL + "".join(f"def f{i}(x):\n    return f{i + 1}(x)\n" for i in range(20_000))


@hostile("program")
def methods_made_in_init() -> str:
    calls = "".join(f"    def m{i}(self):\n        self.m{i + 1}()\n" for i in range(10_000))
    return MODEL + "class Deep(nn.Module):\n    def __init__(self):\n        self.m0()\n" + calls


@hostile("program")
def returns_in_branches() -> str:
    body = "        if x:\n            return x\n        x = torch.relu(x)\n" * 10_000
    return MODEL + f"class ModelNew(nn.Module):\n    def forward(self, x):\n{body}"


@hostile("program")
def decorators() -> str:
    return MODEL + "@a\n" * 100_000 + "def f(): pass\n"


@hostile("program")
def nested_functions() -> str:
    return MODEL + "".join(" " * depth + "def f(x):\n" for depth in range(98)) + " " * 98 + "pass\n"


@hostile("program")
def nested_f_strings() -> str:
    return MODEL + "x = " + "f'{" * 50_000 + "1" + "}'" * 50_000 + "\n"


@hostile("program")
def backslash_continuations() -> str:
    return MODEL + "x = 1" + " \\\n + 1" * 900 + "\n" + "y = 1 \\\n\n" * 150_000


@hostile("program")
def strings_never_closed() -> str:
    return MODEL + "x = '''" + filled("\\'", LARGE)


@hostile("program")
def one_line() -> str:
    return MODEL + "x = [" + "1, " * 600_000 + "]\n"


@hostile("program")
def one_line_of_names() -> str:
    return MODEL + "x = [" + "int, " * 350_000 + "]\n"


@hostile("program")
def control_characters_in_a_string() -> str:
    return MODEL + "x = '" + "\x01\u200b\u202e" * 180_000 + "'\n"


@hostile("program")
def combining_characters() -> str:
    return MODEL + "x = 'a" + "\u0300" * 600_000 + "'\n"


@hostile("program")
def operators_of_torch() -> str:
    return (
        MODEL
        + "class Many(nn.Module):\n    def forward(self, x):\n"
        + "".join(f"        x = torch.operator_{i}(x)\n" for i in range(30_000))
    )


@hostile("program")
def annotations() -> str:
    return MODEL + "".join(f"def f{i}(a: {'List[' * 60}int{']' * 60}): pass\n" for i in range(4_000))
