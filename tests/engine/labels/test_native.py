"""Native code without comments and literals: by a grammar where there is one, by signs elsewhere, with one result."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_app.engine.labels import native

WAYS = [pytest.param(native.by_signs, id="by signs")]
if native.parser() is not None:
    WAYS.append(pytest.param(native.code_of, id="by a grammar"))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("text", "word", "kept"),
    [
        ("at::matmul(a, b);", "matmul", True),
        ("// at::matmul(a, b)\nint x;", "matmul", False),
        ("/* cublasSgemm(\n*/ int x;", "cublasSgemm", False),
        ('auto s = "cudaStreamCreate(";', "cudaStreamCreate", False),
        ('auto s = "//"; cudaStreamCreate(&t);', "cudaStreamCreate", True),
        ('auto s = R"x(cudaStreamCreate()x"; int y;', "cudaStreamCreate", False),
        ("int n = 1'000'000; cudaStreamCreate(&t);", "cudaStreamCreate", True),
        ("char c = '\"'; cudaStreamCreate(&t);", "cudaStreamCreate", True),
        ("__global__ void k() {}\nvoid f() { k<<<1, 2>>>(); }", "<<<", True),
    ],
)
def test_code_is_kept_and_all_else_blanked(way, text, word, kept):
    found = way(text)
    assert (word in found) is kept
    assert found.count("\n") == text.count("\n")


@pytest.mark.skipif(native.parser() is None, reason="needs tree-sitter and its CUDA grammar")
def test_a_grammar_sees_what_the_preprocessor_leaves_out():
    text = "#if 0\nvoid f() { at::matmul(a, b); }\n#else\nvoid f() { at::add(a, b); }\n#endif\n"
    found = native.code_of(text)
    assert "matmul" not in found
    assert "at::add" in found


@given(st.text(alphabet="ab/*\"'\\\nR()#if0 ", max_size=60))
def test_any_text_is_read_and_keeps_its_lines(text):
    for found in (native.by_signs(text), native.code_of(text)):
        assert found.count("\n") == text.count("\n")
    assert len(native.by_signs(text)) == len(text)
