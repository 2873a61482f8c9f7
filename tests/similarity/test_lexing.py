"""Tests of a program's tokens without layout, comments and the author's names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasets_app import demo_pack
from datasets_app.similarity.fingerprints import fingerprint_of
from datasets_app.similarity.lexing import lex

KERNEL = '''
import torch
from torch.utils.cpp_extension import load_inline

source = """
__global__ void scale(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2.0f * x[i];
}
torch::Tensor run(torch::Tensor x) { scale<<<1, 256>>>(x.data_ptr<float>(), x.data_ptr<float>(), 3); return x; }
"""


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return load_inline(name="m", cuda_sources=source).run(x)
'''


def texts(program: str) -> list[str]:
    return [token.text for token in lex(program)]


def shapes(program: str) -> list[str]:
    return [token.shape for token in lex(program)]


def test_comments_layout_and_docstrings_leave_no_token():
    dressed = KERNEL.replace("    if (i", "    // in range?\n    if   (i").replace(
        "class", "# the model\nclass"
    )
    dressed = dressed.replace("    def", '    """Scales."""\n\n    def').replace("y[i] =", "y[i] /* out */ =")
    assert texts(dressed) == texts(KERNEL)


def test_other_names_for_the_same_things_are_the_same_shape_and_another_text():
    renamed = (
        KERNEL.replace("scale", "twice")
        .replace("source =", "code =")
        .replace("=source)", "=code)")
        .replace(" i ", " index ")
    )
    renamed = renamed.replace("[i]", "[index]").replace("(i <", "(index <").replace("int n", "int count")
    renamed = (
        renamed.replace("< n)", "< count)")
        .replace("forward(self, x)", "forward(self, values)")
        .replace(".run(x)", ".run(values)")
    )
    assert shapes(renamed) == shapes(KERNEL)
    assert texts(renamed) != texts(KERNEL)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("2.0f", "3.0f"),
        ("threadIdx", "blockDim"),
        ("i < n", "i > n"),
        ("torch.nn", "torch.fx"),
        ("256", "128"),
    ],
)
def test_what_others_named_and_what_is_computed_stays(old, new):
    assert shapes(KERNEL.replace(old, new)) != shapes(KERNEL)


def test_a_comment_sign_inside_a_string_is_no_comment():
    assert '"a // b"' in texts('__global__ void f() { g("a // b"); } // c')
    assert "'# no comment'" in texts('x = "# no comment"  # one')


def test_a_macros_body_loses_its_comment_and_its_name():
    assert shapes("#define TILE 16 // of shared memory\nint x;") == shapes("#define  T 16\nint y;")


def test_f_strings_are_one_token_on_every_python():
    assert "f'{a + 1}: {b!r}'" in texts("s = f'{a + 1}: {b!r}'")


def test_quotes_are_layout():
    assert texts("a = 'x'") == texts('a = "x"')


@pytest.mark.parametrize(
    "program", ["def broken(:\n", "x = '", "\x00", "", "   ", "((((", "$$$", "class A:\nx"]
)
def test_a_text_that_is_no_program_is_cut_up_all_the_same(program):
    assert isinstance(lex(program), list)


@given(st.text(max_size=120))
def test_no_text_breaks_it(text):
    assert fingerprint_of(text) == fingerprint_of(text)


def test_a_deep_text_breaks_nothing():
    assert lex("__global__ void f() { x = " + "(" * 5000 + "1" + ")" * 5000 + "; }")
    assert lex("x = " + "(" * 5000 + "1" + ")" * 5000)


def test_every_kernel_of_the_demo_pack_is_read_without_a_comment_left():
    for row in demo_pack.read_pack():
        assert not [
            text for text in texts(row["kernel_code"]) if text != "//" and text.startswith(("//", "/*", "# "))
        ]


@pytest.mark.parametrize("separator", ["\x0c", "\x85", "\u2028"])
def test_an_f_string_is_taken_whole_behind_what_ends_a_line_for_unicode_alone(separator):
    program = f"# one{separator}two\nx = 1\ny = f'first {{x}}'\nz = f'second {{x}}'\n"
    assert [text for text in texts(program) if text.startswith("f")] == ["f'first {x}'", "f'second {x}'"]
