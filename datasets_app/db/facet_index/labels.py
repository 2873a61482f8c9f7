"""Counts numeric facets that identify something and have very many values, such as clusters.

One bit per sample for each of fifty thousand values would take gigabytes. Their binary digits are stored like those of
any number; a block's labels are assembled from them once, when they are first counted.
"""

from __future__ import annotations

import struct
from array import array
from collections import Counter
from dataclasses import dataclass
from itertools import compress

from datasets_app.db.facet_index.facets import NUMBER_BITS
from datasets_app.db.facet_index.reading import Reading
from datasets_app.db.facet_index.sets import BLOCK_ROWS, Block, Selection, ValueBits

BINARY = bytes.maketrans(b"01", b"\0\1")


@dataclass(frozen=True)
class Labels:
    """`at`: for each place of the block an index into `values`; index 0 means no value."""

    at: array[int]
    values: list[int]


def counts(reading: Reading, name: str, among: Selection) -> Counter[int]:
    """Return how many samples of the selection have each value; key 0 counts those without one."""
    totals: Counter[int] = Counter()
    for number, chosen in among.items():
        if chosen and number in reading.blocks:
            labels = labels_of(reading.blocks[number], name)
            for index, n in Counter(compress(labels.at, flags(chosen))).items():
                totals[labels.values[index]] += n
    return totals


def labels_of(block: Block, name: str) -> Labels:
    """Return the block's labels, which are cached with it: its bits never change."""
    if name not in block.labels:
        block.labels[name] = labelled(block.values_of(name))
    return block.labels[name]


def labelled(by_value: ValueBits) -> Labels:
    digits = [digit for digit in range(NUMBER_BITS) if by_value.get(str(digit))]
    columns = [flags(by_value[str(digit)]) for digit in digits]
    index: dict[tuple[int, ...], int] = {(0,) * len(digits): 0}
    rows = zip(*columns, strict=True) if columns else [()] * BLOCK_ROWS
    at = array("i", [index.setdefault(row, len(index)) for row in rows])
    return Labels(at, [value_of(row, digits) for row in index])


def value_of(row: tuple[int, ...], digits: list[int]) -> int:
    """Return the integer whose float has these binary digits."""
    packed = sum(1 << digit for is_set, digit in zip(row, digits, strict=True) if is_set)
    return int(struct.unpack("<d", struct.pack("<Q", packed))[0])


def flags(bits: int) -> bytes:
    """Return one byte, 0 or 1, for each place in order."""
    return format(bits, f"0{BLOCK_ROWS}b").encode()[::-1].translate(BINARY)
