import json
import uuid

from hypothesis import given
from hypothesis import strategies as st

from datasets_app.models.identity import SAMPLE_NAMESPACE, normalise, sample_id, task_id

TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=80),
    st.text(st.sampled_from(' \t\n\r\x0b\x0c\x1c\x1f\x7f\x85\u00a0\u2028ab"\\'), max_size=30),
)


def plainly_normalised(text: str) -> str:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(line.rstrip() for line in lines).strip("\n")


@given(TEXTS)
def test_a_text_is_normalised_line_by_line(text):
    assert normalise(text) == plainly_normalised(text)


@given(TEXTS, TEXTS, TEXTS)
def test_a_sample_has_the_uuid5_of_its_three_texts_as_json(program, reasoning, kernel):
    triple = [plainly_normalised(text) for text in (program, reasoning, kernel)]
    plain = uuid.uuid5(SAMPLE_NAMESPACE, json.dumps(triple, ensure_ascii=False))
    assert sample_id(program, reasoning, kernel) == plain


def test_an_id_is_the_same_in_every_version():
    pk = sample_id("class Model: pass\n", 'Say "x".', "class ModelNew:\t\r\n")
    assert str(pk) == "a3a56aa4-a6fb-5073-88d8-7b6a2f6b8339"


def test_an_id_does_not_change_with_line_ends_or_trailing_space():
    assert sample_id("a\r\nb  \n", "t", "k") == sample_id("a\nb", "t\n", "k")


def test_each_of_the_three_texts_changes_the_id():
    ids = {
        sample_id(*parts) for parts in [("a", "b", "c"), ("x", "b", "c"), ("a", "x", "c"), ("a", "b", "x")]
    }
    assert len(ids) == 4


def test_texts_cannot_run_into_each_other():
    assert sample_id("a", "bc", "d") != sample_id("ab", "c", "d")


def test_leading_space_of_a_line_is_meaning_in_python():
    assert task_id("if x:\n  y") != task_id("if x:\n y")
