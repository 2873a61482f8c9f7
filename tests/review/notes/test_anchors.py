"""Tests that lines and columns become offsets into the stored text."""

import pytest

from datasets_app.review import notes
from tests.factories import make_sample

pytestmark = pytest.mark.django_db
TRACE = "one\n\ntwo \U0001f600 three\nfour"


@pytest.fixture
def sample():
    return make_sample(reasoning=TRACE)


@pytest.mark.parametrize(
    ("place", "span"),
    [
        ((1,), "one"),
        ((1, 3), "one\n\ntwo \U0001f600 three"),
        ((3, 3, 5, 5), "\U0001f600"),
        ((3, 4, 7, 2), "three\nfo"),
        ((2,), "\n"),
        ((1, 2), "one\n\n"),
        ((1, 1, 2, 4), "ne"),
        ((4, 4, 2, 99), None),
    ],
)
def test_lines_and_columns_name_a_span(sample, place, span):
    if span is None:
        with pytest.raises(notes.NoteError, match="There is no column 99 in line 4"):
            notes.lines_place(sample, "trace", *place)
        return
    found = notes.lines_place(sample, "trace", *place)
    assert TRACE[found.start : found.end] == span


@pytest.mark.parametrize(
    ("place", "sentence"),
    [
        ((9,), "There is no line 9: the text has 4 lines."),
        ((3, 1), "The span ends before it begins"),
        ((3, 3, 5, 2), "The span ends before it begins"),
    ],
)
def test_lines_that_make_no_span_are_refused(sample, place, sentence):
    with pytest.raises(notes.NoteError, match=sentence):
        notes.lines_place(sample, "trace", *place)


def test_an_unknown_text_is_refused(sample):
    with pytest.raises(notes.NoteError, match="A note is on one of: program, trace, kernel"):
        notes.lines_place(sample, "feedback", 1)


def test_lines_of_a_replaced_text_are_refused(sample):
    with pytest.raises(notes.TextReplacedError):
        notes.lines_place(sample, "trace", 1, digest=notes.digest_of("older"))
