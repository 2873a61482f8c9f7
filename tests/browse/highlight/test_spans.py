"""Tests of spans: cutting and joining returns the text, and offsets and lines convert both ways."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasets_app.browse.highlight.spans import LineIndex, Position, Run, Span, cut

SPANS = st.lists(
    st.builds(Span, st.integers(-3, 40), st.integers(-3, 40), st.sampled_from("abcdef")), max_size=8
)
TEXTS = st.text(alphabet="ab\n\r é\U0001f600", max_size=40)


@given(TEXTS, SPANS)
def test_the_runs_of_a_text_joined_are_the_text(text, spans):
    runs = cut(0, len(text), spans)
    assert "".join(text[run.start : run.end] for run in runs) == text


@given(SPANS)
def test_each_character_carries_exactly_the_spans_that_cover_it(spans):
    for run in cut(5, 30, spans):
        for at in range(run.start, run.end):
            assert set(run.keys) == {span.key for span in spans if span.start <= at < span.end}


@given(SPANS)
def test_neighbouring_runs_differ_and_none_is_empty(spans):
    runs = cut(0, 30, spans)
    assert all(run.start < run.end for run in runs)
    assert all(set(one.keys) != set(next_.keys) for one, next_ in pairwise(runs))


def test_two_overlapping_spans_make_three_runs():
    spans = [Span(2, 6, "b"), Span(0, 4, "a")]
    assert cut(0, 8, spans) == [Run(0, 2, ("a",)), Run(2, 4, ("a", "b")), Run(4, 6, ("b",)), Run(6, 8, ())]


def test_an_empty_text_has_no_runs():
    assert cut(3, 3, [Span(0, 9, "a")]) == []


@given(TEXTS.filter(bool), st.data())
def test_an_offset_becomes_a_place_and_that_place_the_offset(text, data):
    index = LineIndex(text)
    offset = data.draw(st.integers(0, len(text)))
    place = index.position_of(offset)
    assert index.offset_of(place.line, place.column) == offset
    assert place.line == text.count("\n", 0, offset) + 1


def test_columns_count_code_points_and_not_the_units_of_a_browser():
    assert LineIndex("a\U0001f600b\nc").position_of(2) == Position(1, 3)


def test_a_span_that_ends_with_a_line_end_is_on_that_line():
    assert LineIndex("one\ntwo\n").lines_of(Span(0, 4, "")) == (1, 1)


@pytest.mark.parametrize(
    ("line", "column", "sentence"),
    [
        (0, 1, "There is no line 0: the text has 2 lines."),
        (3, 1, "There is no line 3: the text has 2 lines."),
        (1, 5, "There is no column 5 in line 1, which has 3 characters."),
        (2, 0, "There is no column 0 in line 2, which has 3 characters."),
    ],
)
def test_a_place_outside_of_the_text_is_refused_with_a_sentence(line, column, sentence):
    with pytest.raises(ValueError, match=sentence):
        LineIndex("one\ntwo").offset_of(line, column)
