"""Portions come out of a pipe as they went in; a pipe that ends too soon is noticed."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasets_app.ingest import frames
from datasets_app.ingest.prepared import Portion, Ready, SampleValues, TaskValues
from datasets_app.ingest.rows import IngestError, Record, Refusal

TEXT = st.text(st.characters(), max_size=20)  # with halves of surrogate pairs
NUMBER = st.none() | st.integers(0, 2**31)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
EXTRA = st.dictionaries(TEXT, JSON, max_size=3)
TASKS = st.builds(
    TaskValues, TEXT, TEXT, TEXT, st.lists(TEXT, max_size=3), TEXT, NUMBER, NUMBER, TEXT, TEXT, EXTRA
)
SAMPLES = st.builds(
    SampleValues,
    *(TEXT, TEXT, EXTRA, TEXT, TEXT, st.integers(0, 9), NUMBER, TEXT, st.integers(0, 2**31)),
    *(st.none() | st.floats(0.1, 9), st.none() | st.booleans(), TEXT, TEXT, TEXT, TEXT, EXTRA),
)
PORTIONS = st.builds(
    lambda tasks, rows, refusals: Portion({one.id: one for one in tasks}, rows, [], refusals),
    st.lists(TASKS, max_size=3),
    st.lists(st.builds(Ready, st.lists(TEXT, min_size=1, max_size=2), st.none() | SAMPLES), max_size=3),
    st.lists(st.builds(Refusal, st.integers(1, 2**40), TEXT, TEXT, TEXT, TEXT, TEXT), max_size=3),
)


@given(st.lists(st.tuples(st.integers(0, 2**50), PORTIONS), max_size=3))
def test_portions_come_out_as_they_went_in(given_portions):
    pipe = io.BytesIO()
    for bytes_read, portion in given_portions:
        frames.write(pipe, bytes_read, portion)
    frames.write_end(pipe)
    pipe.seek(0)
    assert list(frames.read(pipe)) == given_portions


def test_why_a_file_cannot_be_read_further_is_told_after_what_was_read():
    pipe = io.BytesIO()
    frames.write(pipe, 7, Portion())
    frames.write_end(pipe, "breaks off \ud800 here")
    pipe.seek(0)
    told = frames.read(pipe)
    assert next(told) == (7, Portion())
    with pytest.raises(IngestError, match=r"breaks off \\ud800 here"):
        next(told)


def test_a_pipe_that_ends_anywhere_before_the_end_is_cut_off():
    pipe = io.BytesIO()
    frames.write(pipe, 7, Portion())
    whole = pipe.getvalue()
    for size in range(len(whole) + 1):
        with pytest.raises(frames.CutOffError):
            list(frames.read(io.BytesIO(whole[:size])))


def test_records_of_other_kinds_are_not_handed_over():
    with pytest.raises(TypeError, match="other kinds"):
        frames.write(io.BytesIO(), 0, Portion(records=[Record(1, {})]))
