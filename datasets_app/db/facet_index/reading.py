# ruff: noqa: S608  the values in these statements are our own integers
"""Reads the blocks: from this process's cache where the version is current, and dirty rows from the tables."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from django.core.exceptions import ImproperlyConfigured

from datasets_app.db.facet_index import facets
from datasets_app.db.facet_index.rows import among, block_of, select
from datasets_app.db.facet_index.sets import (
    BLOCK_ROWS,
    Block,
    Selection,
    ValueBits,
    at_least,
    at_most,
    bits_at,
    bits_of_flags,
    places_of,
)

MOST_LIVE = (
    3000  # dirty rows that a reader looks up; further ones are counted as they were before, and reported
)
SET = ord("1")
LIVE = -1  # the block of the dirty rows that are looked up
ATTEMPTS = 5
COUNTED = 16  # selections whose counts a reading keeps

_cache: dict[int, tuple[str, Block]] = {}  # block to its version and bits
_lock = threading.Lock()


@dataclass(frozen=True)
class State:
    """The state of the stored blocks, read in one statement."""

    versions: dict[int, str]
    marked: list[int]
    dirty: tuple[int, int]  # the number of dirty rows, and the sum of their salts
    behind: int  # dirty rows beyond those that are looked up

    @property
    def moment(self) -> Hashable:
        return self.dirty, tuple(sorted(self.versions.items()))


class KeptCounts:
    """The counts by value of each facet among the selections that were counted last."""

    def __init__(self) -> None:
        self.by_selection: OrderedDict[Hashable, dict[str, Mapping[str, int]]] = OrderedDict()
        self.lock = threading.Lock()

    def among(self, selection: Selection) -> dict[str, Mapping[str, int]]:
        """Return the counts kept for a selection, by facet, for the caller to add to."""
        key = frozenset(selection.items())
        with self.lock:
            by_facet = self.by_selection.setdefault(key, {})
            self.by_selection.move_to_end(key)
            if len(self.by_selection) > COUNTED:
                self.by_selection.popitem(last=False)
        return by_facet


@dataclass
class Reading:
    """All samples at one moment, as blocks. `behind`: changed rows that are counted as they were before."""

    blocks: dict[int, Block]
    live_places: dict[int, int] = field(default_factory=dict)  # number to its place in the live block
    behind: int = 0
    moment: Hashable = None  # equal for two readings if nothing changed between them
    kept: KeptCounts = field(default_factory=KeptCounts, repr=False, compare=False)

    @property
    def everything(self) -> Selection:
        return {number: block.all for number, block in self.blocks.items()}

    def where(self, facet: str, admits: Callable[[str], bool]) -> Selection:
        """Return the samples with a value that is admitted."""
        answers: dict[str, bool] = {}
        return {
            number: self.either(block.values_of(facet), admits, answers)
            for number, block in self.blocks.items()
        }

    @staticmethod
    def either(by_value: ValueBits, admits: Callable[[str], bool], answers: dict[str, bool]) -> int:
        admitted = 0
        for value, bits in by_value.items():
            if value not in answers:
                answers[value] = admits(value)
            if answers[value]:
                admitted |= bits
        return admitted

    def bounded(self, facet: str, bound: float, *, is_min: bool, strict: bool) -> Selection:
        compare = at_least if is_min else at_most
        return {
            number: compare(block.values_of(facet), bound, strict=strict)
            for number, block in self.blocks.items()
        }

    def of_numbers(self, numbers: Sequence[int]) -> Selection:
        """Return the samples with these numbers."""
        flags = bytearray(b"0") * ((max(numbers, default=-1) // BLOCK_ROWS + 1) * BLOCK_ROWS)
        for number in numbers:
            flags[number] = SET
        by_block = {
            start // BLOCK_ROWS: bits_of_flags(flags[start : start + BLOCK_ROWS])
            for start in range(0, len(flags), BLOCK_ROWS)
        }
        live = [
            place
            for number, place in self.live_places.items()
            if number < len(flags) and flags[number] == SET
        ]
        return {**by_block, LIVE: bits_at(live)}

    def numbers(self, selection: Selection) -> list[int]:
        """Return the numbers of a selection's samples, in no particular order."""
        by_place = {place: number for number, place in self.live_places.items()}
        return [
            by_place[at] if block == LIVE else block * BLOCK_ROWS + at
            for block, bits in selection.items()
            for at in places_of(bits)
        ]

    def counts(self, facet: str, among: Selection) -> Mapping[str, int]:
        """Return how many samples of the selection have each value; values without samples are left out. They are kept
        with the reading, since most pages count the same few selections until a sample changes.
        """
        kept = self.kept.among(among)
        if facet not in kept:
            kept[facet] = self.counted(facet, among)
        return kept[facet]

    def counted(self, facet: str, among: Selection) -> Mapping[str, int]:
        by_value: dict[str, int] = {}
        for number, chosen in among.items():
            if chosen and number in self.blocks:
                for value, bits in self.blocks[number].values_of(facet).items():
                    if n := (bits & chosen).bit_count():
                        by_value[value] = by_value.get(value, 0) + n
        return by_value


_latest = Reading({})


def read() -> Reading:
    """Return all samples as they are now: in one statement if nothing has changed since this process's last call,
    otherwise in three or four.
    """
    global _latest
    for _ in range(ATTEMPTS):
        state = look()
        latest = _latest
        if latest.moment == state.moment:
            return latest
        blocks = blocks_of(state)
        if blocks is not None:
            _latest = latest = with_live(blocks, state)
            return latest
    raise TimeoutError("The counts change faster than they can be read.")


def look() -> State:
    rows = select(
        "SELECT 0, block, version FROM concur_facet_block UNION ALL SELECT 1, 0, signature FROM concur_facet_signature "
        f"UNION ALL SELECT 2, number, '' FROM (SELECT DISTINCT number FROM concur_facet_dirty LIMIT {MOST_LIVE}) AS m "
        "UNION ALL SELECT 3, count(*), CAST(coalesce(sum(salt), 0) AS varchar) FROM concur_facet_dirty"
    )
    if [version for kind, _, version in rows if kind == 1] != [facets.signature()]:
        raise ImproperlyConfigured("The counts were made for other facets: run `manage.py migrate`.")
    marked = [number for kind, number, _ in rows if kind == 2]
    dirty = next((number, int(salts)) for kind, number, salts in rows if kind == 3)
    behind = max(0, dirty[0] - MOST_LIVE) if len(marked) == MOST_LIVE else 0
    return State({block: version for kind, block, version in rows if kind == 0}, marked, dirty, behind)


def blocks_of(state: State) -> dict[int, Block] | None:
    """Return the blocks in the versions of `state`; None if one was rewritten meanwhile."""
    with _lock:
        current = {
            block: _cache[block][1]
            for block, version in state.versions.items()
            if block in _cache and _cache[block][0] == version
        }
        missing = sorted(set(state.versions) - set(current))
        if not missing:
            return current
        for block, (version, bits) in load(missing).items():
            _cache[block] = (version, bits)
            if version != state.versions[block]:
                return None
            current[block] = bits
        return current if len(current) == len(state.versions) else None


def load(blocks: list[int]) -> dict[int, tuple[str, Block]]:
    """Load versions and bits in one statement, so that they are consistent."""
    loaded: dict[int, tuple[str, Block]] = {}
    for block, version, facet, value, bits in select(
        "SELECT b.block, b.version, x.facet, x.value, x.bits FROM concur_facet_block b "
        f"LEFT JOIN concur_facet_bits x ON x.block = b.block WHERE b.block {among(blocks)}"
    ):
        block_bits = loaded.setdefault(block, (version, Block()))[1]
        if facet is not None:
            block_bits.facets.setdefault(facet, {})[value] = int.from_bytes(bits, "little")
    return loaded


def with_live(blocks: dict[int, Block], state: State) -> Reading:
    if not state.marked:
        return Reading(blocks, moment=state.moment)
    places = {number: at for at, number in enumerate(state.marked)}
    by_block: dict[int, list[int]] = {}
    for number in state.marked:
        by_block.setdefault(number // BLOCK_ROWS, []).append(number % BLOCK_ROWS)
    cut = {
        block: stored.without(bits_at(by_block[block])) if block in by_block else stored
        for block, stored in blocks.items()
    }
    return Reading({**cut, LIVE: block_of(among(state.marked), places)}, places, state.behind, state.moment)
