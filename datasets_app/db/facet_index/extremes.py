"""The samples of a selection that have the largest or the smallest amounts, without looking at any other.

The digits are gone through from the highest on. Those that have it are ahead of those that have not; as long as they
are enough, the others are out, and else they are in and the rest is found among the others: the top-k of bit-sliced
indexes (O'Neil and Quass, Improved Query Performance with Variant Indexes, SIGMOD 1997).
"""

from __future__ import annotations

from datasets_app.db.facet_index.facets import AMOUNT_BITS
from datasets_app.db.facet_index.reading import Reading
from datasets_app.db.facet_index.sets import Selection, above_and_equal, either, size


def first(reading: Reading, amount: str, among: Selection, wanted: int, *, descending: bool) -> Selection:
    """At least `wanted` samples: those in front in this order, and all that are level with the last of them.

    Samples without the amount are none of them; fewer are returned where no more have it.
    """
    sure: Selection = {}
    level = known(reading, amount, among)
    for digit in reversed(range(AMOUNT_BITS)):
        if size(sure) + size(level) <= wanted:
            break
        ones = {block: bits & cell(reading, block, amount, str(digit)) for block, bits in level.items()}
        ahead = filled(ones) if descending else minus(level, ones)
        if size(sure) + size(ahead) >= wanted:
            level = ahead
        else:
            sure, level = either(sure, ahead), minus(level, ahead)
    return either(sure, level)


def parted(reading: Reading, amount: str, among: Selection, bound: float) -> tuple[Selection, ...]:
    """Of the selection those above the bound, those at it and those below it; who lacks the amount is nowhere."""
    parts: tuple[Selection, ...] = ({}, {}, {})
    for block, bits in known(reading, amount, among).items():
        above, equal = above_and_equal(reading.blocks[block].cells(amount), bound, bits)
        for part, found in zip(parts, (above, equal, bits & ~(above | equal)), strict=True):
            part[block] = found
    return parts


def known(reading: Reading, amount: str, among: Selection) -> Selection:
    return filled({block: bits & cell(reading, block, amount, "known") for block, bits in among.items()})


def cell(reading: Reading, block: int, amount: str, name: str) -> int:
    found = reading.blocks.get(block)
    return found.cells(amount).get(name, 0) if found else 0


def minus(first: Selection, second: Selection) -> Selection:
    return filled({block: bits & ~second.get(block, 0) for block, bits in first.items()})


def filled(selection: Selection) -> Selection:
    """Without the blocks that hold nothing."""
    return {block: bits for block, bits in selection.items() if bits}
