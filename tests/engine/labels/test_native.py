"""Tests of native code without comments and literals: a grammar and a character scan give the same result."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_app.engine.labels import label_program, native
from eval_app.engine.orchestrator.report import static_labels

WAYS = [pytest.param(native.by_characters, id="by characters")]
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
    for found in (native.by_characters(text), native.code_of(text)):
        assert found.count("\n") == text.count("\n")
    assert len(native.by_characters(text)) == len(text)


CONDITIONAL = "src = '''#include <torch/extension.h>\n#if 0\nvoid f() { at::matmul(a, b); }\n#endif\n'''\n"


@pytest.fixture
def no_grammar(monkeypatch):
    monkeypatch.setattr(native, "parser", lambda: None)


def labels_of(source):
    return {label.code: label.evidence for label in label_program(source)}


def test_without_a_grammar_a_label_says_what_that_leaves_out(no_grammar):
    assert labels_of(CONDITIONAL)["read_by_signs"] == native.LEFT_OUT


def test_where_nothing_is_left_out_nothing_is_said(no_grammar):
    assert "read_by_signs" not in labels_of(CONDITIONAL.replace("#if 0", "").replace("#endif", ""))


@pytest.mark.skipif(native.parser() is None, reason="needs tree-sitter and its CUDA grammar")
def test_with_a_grammar_only_what_is_too_long_for_it_is_read_by_characters(monkeypatch):
    assert "read_by_signs" not in labels_of(CONDITIONAL)
    monkeypatch.setattr(native, "MAX_PARSED_CHARS", 10)
    assert labels_of(CONDITIONAL)["read_by_signs"] == native.TOO_LONG


def test_the_report_carries_it(no_grammar):
    (found,) = [finding for finding in static_labels(CONDITIONAL) if finding.code == "read_by_signs"]
    assert (found.severity, found.detail) == ("label", f"line 1: {native.LEFT_OUT}")


def test_a_label_of_the_whole_program_names_no_line():
    (found,) = [one for one in static_labels("class ModelNew: pass\n") if one.code == "no_custom_kernel"]
    assert not found.detail.startswith("line")
