import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasets_app.export.ranges import ByteRange, UnsatisfiableError, parse


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("bytes=0-0", ByteRange(0, 0)),
        ("bytes=10-19", ByteRange(10, 19)),
        ("bytes=90-", ByteRange(90, 99)),
        ("bytes=90-500", ByteRange(90, 99)),
        ("bytes=-10", ByteRange(90, 99)),
        ("bytes=-500", ByteRange(0, 99)),
        ("Bytes = 5-6", ByteRange(5, 6)),
        ("bytes=0-1,5-6", None),
        ("bytes=6-5", None),
        ("bytes=-", None),
        ("lines=0-1", None),
        ("bytes=a-b", None),
    ],
)
def test_one_range_of_a_hundred_bytes(header, expected):
    assert parse(header, 100) == expected


@pytest.mark.parametrize("header", ["bytes={}-", "bytes=0-{}", "bytes=-{}"])
def test_a_place_of_more_digits_than_python_converts_is_no_range(header):
    assert parse(header.format("9" * 5000), 100) is None


@pytest.mark.parametrize(("header", "size"), [("bytes=100-", 100), ("bytes=-0", 100), ("bytes=0-", 0)])
def test_a_range_outside_of_the_file_cannot_be_had(header, size):
    with pytest.raises(UnsatisfiableError):
        parse(header, size)


@given(header=st.text(max_size=40), size=st.integers(0, 10**6))
def test_whatever_is_asked_the_range_lies_inside_of_the_file(header, size):
    try:
        part = parse(header, size)
    except UnsatisfiableError:
        return
    assert part is None or 0 <= part.first <= part.last < size
