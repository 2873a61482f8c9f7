"""Finds the samples with the largest or smallest values of a numeric facet without looking at the others.

The binary digits are read from the highest on. Samples whose digit is one come before the others. While those are
enough, the others are dropped; otherwise they are taken and the rest is found among the others. This is the top-k of
bit-sliced indexes (O'Neil and Quass, Improved Query Performance with Variant Indexes, SIGMOD 1997).
"""

from __future__ import annotations

from datasets_app.db.facet_index.facets import NUMBER_BITS
from datasets_app.db.facet_index.reading import Reading
from datasets_app.db.facet_index.sets import Selection, above_and_equal, either, size


def first(reading: Reading, facet: str, among: Selection, wanted: int, *, descending: bool) -> Selection:
    """Return at least `wanted` samples: the first ones in this order, and all that are equal to the last of them.

    Samples without a value are excluded; fewer are returned if no more have one.
    """
    sure: Selection = {}
    level = with_number(reading, facet, among)
    for digit in reversed(range(NUMBER_BITS)):
        if size(sure) + size(level) <= wanted:
            break
        ones = {block: bits & bits_of(reading, block, facet, str(digit)) for block, bits in level.items()}
        ahead = filled(ones) if descending else minus(level, ones)
        if size(sure) + size(ahead) >= wanted:
            level = ahead
        else:
            sure, level = either(sure, ahead), minus(level, ahead)
    return either(sure, level)


def parted(reading: Reading, facet: str, among: Selection, bound: float) -> tuple[Selection, ...]:
    """Split the selection into the samples above, at and below the bound. Samples without a value are excluded."""
    parts: tuple[Selection, ...] = ({}, {}, {})
    for block, bits in with_number(reading, facet, among).items():
        above, equal = above_and_equal(reading.blocks[block].values_of(facet), bound, bits)
        for part, chosen in zip(parts, (above, equal, bits & ~(above | equal)), strict=True):
            part[block] = chosen
    return parts


def with_number(reading: Reading, facet: str, among: Selection) -> Selection:
    return filled({block: bits & bits_of(reading, block, facet, "known") for block, bits in among.items()})


def bits_of(reading: Reading, block: int, facet: str, name: str) -> int:
    stored = reading.blocks.get(block)
    return stored.values_of(facet).get(name, 0) if stored else 0


def minus(first: Selection, second: Selection) -> Selection:
    return filled({block: bits & ~second.get(block, 0) for block, bits in first.items()})


def filled(selection: Selection) -> Selection:
    """Return the selection without its empty blocks."""
    return {block: bits for block, bits in selection.items() if bits}
