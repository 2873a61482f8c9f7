"""Blocks and selections: pure arithmetic on integers that stand for sets of samples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from datasets_app.db.facet_index.facets import AMOUNT_BITS, Amount, Column, digits

BLOCK_ROWS = 32_768  # 4 KB a value
BLOCK_BYTES = BLOCK_ROWS // 8
FEW_GAPS = 16  # places a value: more of them, and values are added one by one
DIGITS = f"0{AMOUNT_BITS}b"
NO_DIGITS = "0" * AMOUNT_BITS
ALL = ""  # the facet, and its only cell, that every row has

Selection = dict[int, int]  # block to bits; a block that is missing holds nothing
Cells = dict[str, int]  # value to bits


@dataclass
class Block:
    """The bits of one range of numbers. An amount's cells are its binary digits and `known`."""

    facets: dict[str, Cells] = field(default_factory=dict)
    labels: dict[str, Any] = field(
        default_factory=dict
    )  # what datasets_app.db.facet_index.labels made of an amount

    @property
    def all(self) -> int:
        return self.facets.get(ALL, {}).get(ALL, 0)

    def cells(self, facet: str) -> Cells:
        return self.facets.get(facet, {})

    def items(self) -> Iterator[tuple[str, str, int]]:
        return ((facet, cell, bits) for facet, cells in self.facets.items() for cell, bits in cells.items())

    def without(self, mask: int) -> Block:
        """The same block in which some rows are not there; only `all` is cut, which every selection is taken from."""
        return Block({**self.facets, ALL: {ALL: self.all & ~mask}}, self.labels)


class Builder:
    """Makes a block of rows, one bit at a time."""

    def __init__(self) -> None:
        self.facets: dict[str, dict[str, bytearray]] = {}

    def set(self, facet: str, cell: str, at: int) -> None:
        cells = self.facets.setdefault(facet, {})
        bits = cells.get(cell)
        if bits is None:
            bits = cells[cell] = bytearray(BLOCK_BYTES)
        bits[at >> 3] |= 1 << (at & 7)

    def add_rows(
        self,
        rows: Iterable[Sequence[Any]],
        places: dict[int, int],
        columns: Sequence[Column],
        amounts: Sequence[Amount],
    ) -> None:
        """Rows of (number, a value a column, a value an amount)."""
        found: dict[str, dict[int, float]] = {amount.name: {} for amount in amounts}
        for number, *values in rows:
            at = places[number]
            self.set(ALL, ALL, at)
            for column, value in zip(columns, values, strict=False):
                self.set(column.name, column.cell(value), at)
            for amount, value in zip(amounts, values[len(columns) :], strict=True):
                if value is not None:
                    found[amount.name][at] = amount.number(value)
        for name, by_place in found.items():
            self.add_amounts(name, by_place)

    def add_amounts(self, name: str, by_place: dict[int, float]) -> None:
        """Neighbours digit by digit, over all places at once: a tenth of the work of row by row."""
        low, high = min(by_place, default=0), max(by_place, default=0)
        if (high - low) > FEW_GAPS * len(by_place):
            for at, value in by_place.items():
                self.add_amount(name, value, at)
            return
        lines = [NO_DIGITS] * (high - low + 1)
        for at, value in by_place.items():
            lines[at - low] = format(digits(value), DIGITS)
        written = "".join(lines)
        for digit in range(AMOUNT_BITS):
            ones = written[AMOUNT_BITS - 1 - digit :: AMOUNT_BITS]
            self.add_bits(name, str(digit), int(ones[::-1], 2) << low)
        self.add_bits(name, "known", bits_at(by_place))

    def add_bits(self, facet: str, cell: str, bits: int) -> None:
        if bits:
            cells = self.facets.setdefault(facet, {})
            held = int.from_bytes(cells.get(cell, b""), "little")
            cells[cell] = bytearray((held | bits).to_bytes(BLOCK_BYTES, "little"))

    def add_amount(self, name: str, value: float, at: int) -> None:
        self.set(name, "known", at)
        left = digits(value)
        while left:
            lowest = left & -left
            self.set(name, str(lowest.bit_length() - 1), at)
            left ^= lowest

    def block(self) -> Block:
        return Block(
            {
                facet: {cell: int.from_bytes(bits, "little") for cell, bits in cells.items()}
                for facet, cells in self.facets.items()
            }
        )


def bits_at(places: Iterable[int]) -> int:
    flags = bytearray(BLOCK_BYTES)
    for at in places:
        flags[at >> 3] |= 1 << (at & 7)
    return int.from_bytes(flags, "little")


def bits_of_flags(flags: bytearray) -> int:
    """A bytearray of b"0" and b"1", one a place, as bits: quicker than bit by bit where many are set."""
    return int(flags[::-1], 2)


def places_of(bits: int) -> Iterator[int]:
    """The positions of the ones, in order."""
    for at, byte in enumerate(bits.to_bytes((bits.bit_length() + 7) // 8, "little")):
        while byte:
            lowest = byte & -byte
            yield at * 8 + lowest.bit_length() - 1
            byte ^= lowest


def at_least(cells: Cells, bound: float, *, strict: bool) -> int:
    """Rows whose amount is at least (or, strictly, above) the bound."""
    above, equal = above_and_equal(cells, bound, cells.get("known", 0))
    return above if strict else above | equal


def above_and_equal(cells: Cells, bound: float, among: int) -> tuple[int, int]:
    """Of rows that have the amount those above the bound, and those at it: digit by digit, the highest first."""
    wanted = digits(bound)
    above, equal = 0, among
    for digit in reversed(range(AMOUNT_BITS)):
        ones = cells.get(str(digit), 0)
        if wanted >> digit & 1:
            equal &= ones
        else:
            above |= equal & ones
            equal &= ~ones
        if not equal:
            break
    return above, equal


def at_most(cells: Cells, bound: float, *, strict: bool) -> int:
    return cells.get("known", 0) & ~at_least(cells, bound, strict=not strict)


def either(first: Selection, second: Selection) -> Selection:
    return {block: first.get(block, 0) | second.get(block, 0) for block in first.keys() | second.keys()}


def both(first: Selection, second: Selection) -> Selection:
    return {block: bits & second[block] for block, bits in first.items() if block in second}


def size(selection: Selection) -> int:
    return sum(bits.bit_count() for bits in selection.values())
