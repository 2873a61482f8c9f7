"""Tests of the first samples by a value, read from its binary digits."""

from hypothesis import given, settings
from hypothesis import strategies as st

from datasets_app.db.facet_index.extremes import first
from datasets_app.db.facet_index.reading import Reading
from datasets_app.db.facet_index.sets import ALL, BLOCK_ROWS, Block, Builder, bits_at

AMOUNTS = st.one_of(st.none(), st.floats(0, 1e12), st.integers(0, 40))
PLACES = (0, 1, 7, 8, 4000, BLOCK_ROWS - 1)


def reading_of(amounts):
    """Return a reading with each value at its own number, in three blocks of six places."""
    blocks = {}
    for index, value in enumerate(amounts):
        build = blocks.setdefault(index // len(PLACES), Builder())
        at = PLACES[index % len(PLACES)]
        build.set(ALL, ALL, at)
        if value is not None:
            build.add_number("speedup", float(value), at)
    return Reading({number: build.block() for number, build in blocks.items()})


def number_of(index):
    return index // len(PLACES) * BLOCK_ROWS + PLACES[index % len(PLACES)]


def in_front(amounts, wanted, descending):
    """Return the expected result by sorting: the first ones, and all that tie with the last."""
    there = sorted((value for value in amounts if value is not None), reverse=descending)
    if len(there) <= wanted:
        return {number_of(index) for index, value in enumerate(amounts) if value is not None}
    last = there[wanted - 1]
    return {
        number_of(index)
        for index, value in enumerate(amounts)
        if value is not None and (value >= last if descending else value <= last)
    }


@settings(max_examples=150)
@given(st.lists(AMOUNTS, max_size=18), st.integers(1, 20), st.booleans())
def test_they_are_those_that_sorting_puts_in_front(amounts, wanted, descending):
    reading = reading_of(amounts)
    found = first(reading, "speedup", reading.everything, wanted, descending=descending)
    assert set(reading.numbers(found)) == in_front(amounts, wanted, descending)


def test_only_samples_of_the_selection_are_looked_at():
    reading = reading_of([5, 4, 3, 2, 1])
    among = {0: bits_at([PLACES[3], PLACES[4]])}
    assert reading.numbers(first(reading, "speedup", among, 1, descending=True)) == [number_of(3)]


def test_an_amount_that_no_sample_has_puts_nobody_in_front():
    reading = Reading({0: Block({ALL: {ALL: 1}})})
    assert first(reading, "speedup", reading.everything, 3, descending=True) == {}
