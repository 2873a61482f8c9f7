"""Compares facet counts over a million samples: integers in blocks, as in the facet index, and pyroaring."""

import random
import sys

import numpy
from pyroaring import BitMap

from benchmarks.libraries import compare, import_cost
from datasets_app.db.facet_index.sets import BLOCK_BYTES, BLOCK_ROWS, at_least, places_of

ROWS = 1_000_000
BLOCKS = -(-ROWS // BLOCK_ROWS)
VALUES = {
    "outcome": 9,
    "verdict": 4,
    "language": 4,
    "generator": 20,
    "source": 6,
    "device": 4,
    "length": 6,
    "suite": 3,
}
Blocks = list[int]


def flags_of() -> dict[tuple[str, str], numpy.ndarray]:
    """Return, for each value of each facet, its samples: skewed, as published data is, in random order."""
    draw = numpy.random.default_rng(1)
    flags = {}
    for facet, count in VALUES.items():
        chosen = (count * draw.random(ROWS) ** 2.2).astype(int)
        flags |= {(facet, str(value)): chosen == value for value in range(count)}
    for number in range(24):  # two operators per task; five samples of a task are adjacent
        tasks = draw.random(ROWS // 5) < 2 / (number + 2) ** 1.5
        flags["operator", str(number)] = numpy.repeat(tasks, 5)
    for number in range(10):
        flags["tag", str(number)] = draw.random(ROWS) < 0.002
    speedups = draw.lognormal(0.2, 0.8, ROWS)
    has_speedup = draw.random(ROWS) < 0.4
    digits = speedups.view(numpy.uint64)
    flags |= {
        ("speedup", str(digit)): has_speedup & ((digits >> numpy.uint64(digit)) & 1).astype(bool)
        for digit in range(64)
    }
    return flags | {("speedup", "known"): has_speedup}


def blocks_of(flags: numpy.ndarray) -> Blocks:
    padded = numpy.zeros(BLOCKS * BLOCK_ROWS, dtype=bool)
    padded[:ROWS] = flags
    packed = numpy.packbits(padded, bitorder="little").tobytes()
    return [
        int.from_bytes(packed[at : at + BLOCK_BYTES], "little") for at in range(0, len(packed), BLOCK_BYTES)
    ]


def bitmap_of(flags: numpy.ndarray) -> BitMap:
    made = BitMap(numpy.flatnonzero(flags).astype(numpy.uint32))
    made.run_optimize()
    return made


class Integers:
    def __init__(self, flags: dict[tuple[str, str], numpy.ndarray]) -> None:
        self.sets = {key: blocks_of(members) for key, members in flags.items()}
        slices = [digit for digit in self.sets if digit[0] == "speedup"]
        self.cells = [{name: self.sets[facet, name][at] for facet, name in slices} for at in range(BLOCKS)]
        self.stored = [
            bits.to_bytes(BLOCK_BYTES, "little").rstrip(b"\0")
            for blocks in self.sets.values()
            for bits in blocks
        ]

    def chosen(self) -> Blocks:
        parts = (self.sets["outcome", "0"], self.sets["language", "0"], self.sets["generator", "1"])
        return [first & second & third for first, second, third in zip(*parts, strict=True)]

    def counts(self) -> dict[tuple[str, str], int]:
        chosen = self.chosen()
        return {
            key: sum((bits & wanted).bit_count() for bits, wanted in zip(blocks, chosen, strict=True))
            for key, blocks in self.sets.items()
            if key[0] != "speedup"
        }

    def range(self) -> int:
        return sum(at_least(cells, 1.5, strict=False).bit_count() for cells in self.cells)

    def numbers(self) -> list[int]:
        return [block * BLOCK_ROWS + at for block, bits in enumerate(self.chosen()) for at in places_of(bits)]

    def load(self) -> object:
        return [int.from_bytes(data, "little") for data in self.stored]

    def memory(self) -> int:
        return sum(sys.getsizeof(bits) for blocks in self.sets.values() for bits in blocks)


class Roaring:
    def __init__(self, flags: dict[tuple[str, str], numpy.ndarray]) -> None:
        self.sets = {key: bitmap_of(members) for key, members in flags.items()}
        self.stored = [bitmap.serialize() for bitmap in self.sets.values()]

    def chosen(self) -> BitMap:
        return self.sets["outcome", "0"] & self.sets["language", "0"] & self.sets["generator", "1"]

    def counts(self) -> dict[tuple[str, str], int]:
        chosen = self.chosen()
        return {
            key: bitmap.intersection_cardinality(chosen)
            for key, bitmap in self.sets.items()
            if key[0] != "speedup"
        }

    def range(self) -> int:
        """Walk over the digits like datasets_app.db.facet_index.sets.at_least."""
        wanted = int(numpy.array(1.5).view(numpy.uint64))
        above, equal = BitMap(), self.sets["speedup", "known"]
        for digit in reversed(range(64)):
            ones = self.sets["speedup", str(digit)]
            if wanted >> digit & 1:
                equal = equal & ones
            else:
                above |= equal & ones
                equal = equal - ones
        return len(above | equal)

    def numbers(self) -> list[int]:
        return list(self.chosen())

    def load(self) -> object:
        return [BitMap.deserialize(data) for data in self.stored]

    def memory(self) -> int:
        statistics = [bitmap.get_statistics() for bitmap in self.sets.values()]
        kinds = ("n_bytes_array_containers", "n_bytes_bitset_containers", "n_bytes_run_containers")
        return sum(row[kind] for row in statistics for kind in kinds)


def main() -> None:
    random.seed(1)
    flags = flags_of()
    integers, roaring = Integers(flags), Roaring(flags)
    for name in ("counts", "range", "numbers"):
        assert getattr(integers, name)() == getattr(roaring, name)(), name
    print(f"{ROWS:,} samples, {len(flags)} sets; both give the same counts, range and numbers")
    for name in ("counts", "range", "numbers", "load"):
        compare({f"{name}: integers": getattr(integers, name), f"{name}: pyroaring": getattr(roaring, name)})
    for name, index in (("integers", integers), ("pyroaring", roaring)):
        stored = sum(map(len, index.stored))
        print(f"  {name:<44} {index.memory() / 2**20:10.1f} MB in memory, {stored / 2**20:.1f} MB stored")
    import_cost("pyroaring")


if __name__ == "__main__":
    main()
