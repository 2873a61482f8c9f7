"""Tests of a program's language, which is that of its kernels in the syntax tree, never in a comment."""

import pytest

from eval_app.engine.labels.language import detect

HEAD = "import torch\n"


@pytest.mark.parametrize(
    ("language", "program"),
    [
        ("cuda", "load_inline(name='x', cpp_sources='', cuda_sources=SOURCE)"),
        ("cuda", "s = '__global__ void k() {}'"),
        ("cuda", "s = '''#include <cuda_runtime.h>\n'''"),
        ("cpp", "load_inline(name='x', cpp_sources='torch::Tensor f();', functions=['f'])"),
        ("cpp", "load_inline(name='x', cpp_sources=SOURCE, cuda_sources='')"),
        ("cpp", "from torch.utils import cpp_extension\ncpp_extension.load('x', ['a.cpp'])"),
        ("triton", "import triton\n@triton.jit\ndef k(): pass"),
        (
            "triton",
            "import triton\n@triton.autotune(configs=[], key=[])\n@triton.jit(debug=True)\ndef k(): pass",
        ),
        ("python", "y = torch.relu(x)  # not a __global__ kernel"),
        ("triton", "from triton import jit\n@jit\ndef k(): pass"),
        ("python", "import triton"),
        ("python", "def forward(x):\n    'Calls no __global__ kernel.'"),
        ("python", "s = '// a __global__ kernel was here'"),
        ("cpp", "s = '#include <x>\\n// __global__\\n/* <<<1, 1>>> */'"),
        ("cuda", "s = '#include <x>\\nauto a = \"// no comment\"; k<<<1, 1>>>();'"),
    ],
)
def test_the_language_is_that_of_the_kernels(language, program):
    assert detect(HEAD + program) == language


@pytest.mark.parametrize("source", ["def broken(:", "", "\0", "x = " + "(" * 500 + ")" * 500, "# __global__"])
def test_what_does_not_parse_or_holds_no_kernel_is_python(source):
    assert detect(source) == "python"
