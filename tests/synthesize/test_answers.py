"""Tests of what an answer holds: one kernel and its reasoning, or a named reason for none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasets_app.synthesize.answers import Answer, written
from datasets_app.synthesize.errors import AnswerError

NEW = "class ModelNew:\n    pass"
OTHER = "class ModelNew:\n    fast = True"


def fenced(program, fence="```"):
    return f"{fence}python\n{program}\n{fence}"


def test_the_program_that_defines_model_new_is_taken_from_among_others():
    answer = Answer(f"First a sketch:\n\n{fenced('x = 1')}\n\nThen:\n\n{fenced(NEW)}\nDone.")
    assert (written(answer).kernel, written(answer).reasoning) == (NEW, "")


@pytest.mark.parametrize(
    ("content", "apart"),
    [
        (fenced(NEW), "Fuse them."),
        (f"<think>\nFuse them.\n</think>\n{fenced(NEW)}", ""),
        (f"Fuse them.\n</think>\n\n{fenced(NEW)}", ""),  # the template of some models holds the first tag
    ],
)
def test_reasoning_comes_apart_or_between_tags(content, apart):
    assert written(Answer(content, apart)).reasoning == "Fuse them."
    assert written(Answer(content, apart)).kernel == NEW


def test_a_sketch_in_the_reasoning_is_no_answer():
    content = f"<think>\n{fenced(OTHER)}\n</think>\n{fenced(NEW)}"
    assert written(Answer(content)).kernel == NEW


def test_the_same_program_twice_is_one():
    assert written(Answer(f"{fenced(NEW)}\n\nOnce more:\n\n{fenced(NEW)}")).kernel == NEW


def test_a_fence_inside_a_longer_one_is_text():
    program = f'{NEW}\nTEXT = """\n```\n"""'
    assert written(Answer(fenced(program, "````"))).kernel == program


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Answer(""), "empty"),
        (Answer("  \n", "Thoughts."), "empty"),
        (Answer("I would fuse them."), "no_code_block"),
        (Answer(fenced("x = 1")), "no_model_new"),
        (Answer(f"{fenced(NEW)}\n\nor\n\n{fenced(OTHER)}"), "two_model_new"),
        (Answer(f"```python\n{NEW}\n"), "unclosed_code_block"),
        (Answer(fenced(NEW), finish_reason="length"), "truncated"),
        (Answer(f"<think>\nSo far\n{fenced(NEW)}"), "truncated"),
        (Answer("", finish_reason="content_filter"), "content_filter"),
    ],
)
def test_an_answer_without_one_kernel_says_by_name_why(answer, reason):
    with pytest.raises(AnswerError) as caught:
        written(answer)
    assert caught.value.reason == reason
    assert caught.value.detail


@given(
    st.lists(
        st.sampled_from(["```", "~~~", "````python", "<think>", "</think>", NEW, OTHER, "x", "\n", " "])
    ).map("\n".join)
)
def test_any_answer_gives_a_kernel_of_it_or_a_reason(content):
    try:
        found = written(Answer(content))
    except AnswerError:
        return
    assert found.kernel in content
    assert "class ModelNew" in found.kernel
