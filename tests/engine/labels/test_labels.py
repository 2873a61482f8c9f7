"""Tests of labels, which come from the syntax tree, never from comments."""

import time

import pytest

from eval_app.engine.labels import label_program
from tests.engine.kernels.catalogue import load_all

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"


def codes(program):
    return {label.code for label in label_program(HEAD + program)}


@pytest.mark.parametrize(
    ("code", "program"),
    [
        ("uses_library_gemm", "y = a @ b"),
        ("uses_library_gemm", "y = F.linear(x, w)"),
        ("uses_library_gemm", "y = torch.nn.functional.conv2d(x, w)"),
        ("uses_library_gemm", "from torch import matmul as go\ny = go(a, b)"),
        ("uses_library_gemm", "y = x.bmm(z)"),
        ("uses_library_gemm", "self.l = nn.Linear(3, 4)\ny = self.l(x)"),
        ("uses_library_gemm", "s = 'torch::Tensor f() { return at::matmul(a, b); }'"),
        ("uses_library_gemm", "s = '#include <cublas_v2.h>\\nvoid f() { cublasSgemm(h); }'"),
        ("no_custom_kernel", "y = torch.relu(x)"),
        ("uses_graph", "g = torch.cuda.CUDAGraph()"),
        ("uses_graph", "s = '#include <cuda.h>\\ncudaGraphLaunch(g, s);'"),
        ("uses_streams", "from torch.cuda import Stream\ns = Stream()"),
        ("uses_streams", "s = '#include <cuda.h>\\ncudaStreamCreate(&s);'"),
        ("try_fallback", "try:\n    y = ext.run(x)\nexcept Exception:\n    y = x"),
        ("try_fallback", "from contextlib import suppress\nwith suppress(RuntimeError):\n    y = ext.run(x)"),
        ("weights_cached", "def f(self):\n    self.packed = self.linear.weight.t().contiguous()"),
        ("uses_torch_compile", "f = torch.compile(g)"),
        ("uses_torch_compile", "@torch.compile(mode='max-autotune')\ndef f(x): return x"),
        ("changes_precision_flags", "torch.backends.cuda.matmul.allow_tf32 = True"),
        ("changes_precision_flags", "torch.set_float32_matmul_precision('high')"),
        ("touches_evaluator", "import gc\ngc.get_objects()"),
        ("touches_evaluator", "import inspect as i\ni.stack()"),
        ("touches_evaluator", "from sys import _getframe\n_getframe(1)"),
        ("touches_evaluator", "import os\nos.environ['SEED']"),
        (
            "touches_cache_policy",
            "CUDA = r'''__global__ void f() { asm volatile(\"ld.global.L2::evict_last.f32 %0;\" : ); }'''",
        ),
        ("patches_torch", "torch.allclose = lambda *a: True"),
        ("patches_torch", "import time\ntime.perf_counter = fake"),
        ("patches_torch", "setattr(torch.cuda, 'synchronize', f)"),
        ("patches_torch", "m = torch.cuda.Event.elapsed_time\nm.__code__ = f.__code__"),
        (
            "touches_cache_policy",
            "s = '#include <cuda.h>\\ncudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 1)'",
        ),
        ("starts_threads", "import threading\nthreading.Thread(target=f).start()"),
        ("starts_threads", "torch.set_num_threads(8)"),
        ("starts_threads", "s = '#include <omp.h>\\n#pragma omp parallel for num_threads(8)'"),
        ("starts_threads", "s = '#include <omp.h>\\nvoid f() { omp_set_num_threads(8); }'"),
    ],
)
def test_a_trait_is_labelled(code, program):
    assert code in codes(program)


@pytest.mark.parametrize(
    ("code", "program"),
    [
        ("uses_library_gemm", "# torch.matmul(a, b)"),
        ("uses_library_gemm", "text = 'call torch.matmul(a, b) here'"),
        ("uses_library_gemm", "s = '#include <x>\\n// at::matmul(a, b)\\n/* cublasSgemm( */'"),
        ("uses_library_gemm", "def matmul(a, b): pass\nmatmul(a, b)"),
        ("uses_library_gemm", "self.n = nn.LayerNorm(3)\ny = self.n(x)"),
        ("no_custom_kernel", "import triton\n@triton.jit\ndef k(): pass"),
        (
            "try_fallback",
            "try:\n    y = ext.run(x)\nexcept Exception as e:\n    raise RuntimeError('no') from e",
        ),
        ("try_fallback", "try:\n    n = int(s)\nexcept ValueError:\n    n = 0"),
        ("try_fallback", "import contextlib, os\nwith contextlib.suppress(OSError):\n    os.remove(path)"),
        ("try_fallback", "with torch.no_grad():\n    y = ext.run(x)"),
        ("weights_cached", "self.weight = nn.Parameter(torch.randn(3))"),
        ("touches_evaluator", "import os\nos.environ['TORCH_CUDA_ARCH_LIST'] = '9.0'"),
        ("touches_evaluator", "import os\npath = os.path.join('a', 'b')"),
        ("patches_torch", "self.scale = 3\ntorch.backends.cudnn.benchmark = True"),
        ("uses_graph", "'a torch.cuda.CUDAGraph in a string'"),
        ("uses_library_gemm", "def f():\n    '''#include <x>, then at::matmul(a, b)'''"),
    ],
)
def test_what_only_looks_like_it_is_not_labelled(code, program):
    assert code not in codes(program)


def test_a_label_names_its_line_and_shows_it():
    label = next(
        label for label in label_program(HEAD + "\ny = a @ b\n") if label.code == "uses_library_gemm"
    )
    assert (label.line, label.evidence) == (5, "y = a @ b")


@pytest.mark.parametrize("source", ["def broken(:", "", "\0", "x = " + "(" * 500 + ")" * 500, "# nothing"])
def test_any_text_can_be_labelled(source):
    assert isinstance(label_program(source), list)


NESTED_TRIES = "".join(
    [
        *(f"{' ' * depth}try:\n" for depth in range(90)),
        f"{' ' * 90}{'1;' * 60_000}\n",
        *(f"{' ' * depth}except A: raise\n" for depth in reversed(range(90))),
    ]
)


@pytest.mark.parametrize(
    "source",
    [
        "".join("self.a()\n" for _ in range(20_000)),
        "".join("a" + ".b" * 2000 + "\n" for _ in range(40)),
        NESTED_TRIES,
        "os.environ;" * 20_000 + "TORCH_CUDA_ARCH_LIST",
        f"s = '#include <a.h> {'asm ' * 100_000}'",
        f"s = '#include <a.h> {f'asm {chr(34)}' * 60_000}'",
        f"s = '#include <a.h>\\n// asm {chr(34)}{'evict_last' * 90_000}'",
        f"s = ['#include <a.h> {'a?' * 19_000}', '#include <a.h> {'a?' * 100_000}']",
    ],
    ids=[
        *("calls", "attributes", "nested tries", "one line", "no literal", "literals", "one long literal"),
        "no code that a grammar fits",
    ],
)
def test_labels_of_a_long_program_take_seconds_at_most(source):
    started = time.process_time()
    label_program(source)
    assert time.process_time() - started < 4


def test_every_test_kernel_has_the_labels_that_it_expects():
    known = {
        *("uses_library_gemm", "no_custom_kernel", "uses_graph", "uses_streams"),
        *("try_fallback", "weights_cached"),
        *("uses_torch_compile", "changes_precision_flags", "touches_evaluator", "patches_torch"),
        *("touches_cache_policy", "starts_threads"),
    }
    by_the_judge = "first_columns_read_once"  # reads its weights where no text tells that
    missing = {
        kernel.name: lacking
        for kernel in load_all()
        if kernel.name != by_the_judge
        and (
            lacking := (kernel.expect.findings & known)
            - {label.code for label in label_program(kernel.source)}
        )
    }
    assert missing == {}


STREAM = "    cudaStreamCreate(&s);"
IN_NATIVE = {
    "a raw literal": ["s = r'''", "#include <cuda.h>", "void f() {", STREAM, "}'''"],
    "a literal whose first line is continued": ["s = '''\\", "#include <cuda.h>", STREAM, "'''"],
    "escapes elsewhere": ["s = '''#include <cuda.h>", 'f("a\\n", "\\n\\n");', STREAM, "'''"],
    "lines that are put together": ["s = ('#include <cuda.h>\\n'", "  'void f() {\\n'", f"'{STREAM}'", ")"],
    "two of the same line": ["s = '''#include <cuda.h>", STREAM, STREAM, "'''"],
    "a comment before with other letters": ["s = '''#include <cuda.h>", "// größer ⇒ später", STREAM, "'''"],
}


@pytest.mark.parametrize("name", IN_NATIVE)
def test_a_label_in_native_code_names_the_line_of_the_match(name):
    lines = IN_NATIVE[name]
    [label] = [
        one for one in label_program("\n".join(["import torch", *lines])) if one.code == "uses_streams"
    ]
    assert (label.line, label.evidence) == (
        2 + lines.index(STREAM if STREAM in lines else f"'{STREAM}'"),
        STREAM.strip(),
    )


def test_an_instruction_in_assembly_is_named_by_its_line():
    lines = ["s = r'''__global__ void f() {", "", '  asm("ld.evict_last.f32 %0;" : );', "}'''"]
    [label] = [one for one in label_program("\n".join(lines)) if one.code == "touches_cache_policy"]
    assert label.line == 3


def test_a_match_whose_line_is_not_in_the_source_is_named_by_the_literals_first_line():
    lines = ["s = '''#include <cuda.h>\\n\\n", "cuda\\x53treamCreate(&s);", "'''"]
    [label] = [one for one in label_program("\n".join(lines)) if one.code == "uses_streams"]
    assert (label.line, label.evidence) == (1, "cudaStreamCreate(&s);")


def test_a_label_quotes_its_own_line_behind_what_ends_a_line_for_unicode_alone():
    found = label_program(f"{HEAD}# a\x0cb\x85c\ny = a @ b\n")
    (product,) = [label for label in found if label.code == "uses_library_gemm"]
    assert (product.line, product.evidence) == (5, "y = a @ b")
