"""Tests of the form of rows: each value comes back, and reads as PostgreSQL writes it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concur_site.backup.cells import KINDS, CellError, escaped, line_of, unescaped, values_of

KINDS_OF_A_ROW = [KINDS[name] for name in ("int", "float", "bool", "time", "uuid", "bytes", "text")]


@given(
    st.tuples(
        st.integers(-(2**63), 2**63 - 1),
        st.floats(allow_nan=False),
        st.sampled_from([0, 1]),
        st.datetimes().map(str),
        st.uuids().map(lambda value: value.hex),
        st.binary(),
        st.text(st.characters(exclude_categories=["Cs"])),
    )
)
def test_a_row_comes_back(row):
    line = line_of(row, KINDS_OF_A_ROW)
    assert line.count(b"\n") == 1
    assert tuple(values_of(line, KINDS_OF_A_ROW)) == row


def test_nothing_is_not_the_text_that_stands_for_it():
    text = KINDS["text"]
    assert values_of(line_of([None, "\\N", ""], [text] * 3), [text] * 3) == [None, "\\N", ""]


def test_what_postgres_writes_is_read():
    line = b"7\t1\tt\t2026-11-25 07:30:00.5+00\t0190b5a2-0000-7000-8000-000000000001\t\\\\x00ff\ta\\\\n\\nb\n"
    values = values_of(line, KINDS_OF_A_ROW)
    uuid = "0190b5a2000070008000000000000001"
    assert values == [7, 1.0, 1, "2026-11-25 07:30:00.500000", uuid, b"\x00\xff", "a\\n\nb"]


@pytest.mark.parametrize(
    "line", [b"1\n", b"a\t1\tt\tx\ty\t\\\\x\tz\n", b"1\t1\tyes\t2026-01-01 00:00:00+00\ty\t\\\\x\tz\n"]
)
def test_another_form_is_refused(line):
    with pytest.raises(CellError):
        values_of(line, KINDS_OF_A_ROW)


def test_an_unknown_sequence_is_refused():
    with pytest.raises(CellError):
        unescaped("a\\q")
    assert unescaped(escaped("\\000\0\\N\\\\n")) == "\\000\0\\N\\\\n"
