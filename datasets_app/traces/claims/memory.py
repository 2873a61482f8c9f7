"""Checks claims about memory access by the threads of a warp against the indices in the source."""

from __future__ import annotations

from collections.abc import Iterable

from datasets_app.syntax.kernel.facts import Access, Kernel
from datasets_app.traces.claims.answers import (
    Answer,
    absent,
    confirmed,
    contradicted,
    count,
    in_doubt,
    unknown,
)
from datasets_app.traces.claims.find import Claim
from datasets_app.traces.claims.measured import Measured


def spoken_of(claim: Claim, places: list[Access]) -> tuple[list[Access], bool]:
    """Return the accesses of the arrays that the sentence indexes, and whether it indexes any; else all of them."""
    named = [one for one in places if one.array in claim.arrays]
    return (named, True) if named else (places, False)


def against(why: str, lines: list[int], narrow: bool) -> Answer:
    """Return the answer to a sentence about one access, which another access of the array does not contradict."""
    if narrow:
        return unknown(f"It speaks of one access; of the whole array: {why[0].lower()}{why[1:]}", lines)
    return contradicted(why, lines)


def coalesced(claim: Claim, kernel: Kernel, _measured: Measured) -> Answer:
    if not kernel.has_device_code:
        return absent(kernel, "access")
    if "triton" in kernel.languages:
        return unknown("Triton's compiler lays the accesses out.")
    places, narrow = spoken_of(claim, [one for one in kernel.accesses if one.space == "global"])
    apart = [one for one in places if one.stride is not None and abs(one.stride) > 1]
    unclear = [one for one in places if one.stride is None]
    if apart:
        far = max(abs(one.stride or 0) for one in apart)
        return against(
            f"Neighbouring threads touch elements up to {far} apart: {arrays(apart)}.", at(apart), narrow
        )
    if unclear or not places:
        return unknown(why_unclear(places, unclear), at(unclear))
    if all(one.stride == 0 for one in places):
        return unknown(
            "Every access that could be followed is the same for all threads of a warp.", at(places)
        )
    together = [one for one in places if one.stride]
    same = len(places) - len(together)
    rest = f"; in the other {same} all threads of a warp touch the same" if same else ""
    which = (
        f"all {count(len(places), 'access')}" if not same else f"{len(together)} of {len(places)} accesses"
    )
    return confirmed(f"In {which} neighbouring threads touch neighbours{rest}.", at(together))


def why_unclear(places: list[Access], unclear: list[Access]) -> str:
    if not places:
        return "No access of global memory by an index could be followed."
    followed = f"{len(places) - len(unclear)} of {len(places)} accesses could be followed"
    return f"{followed}; {unclear[0].array}: {unclear[0].why}."


def arrays(accesses: Iterable[Access]) -> str:
    return ", ".join(dict.fromkeys(one.array for one in accesses))


def at(accesses: Iterable[Access]) -> list[int]:
    return sorted({one.line for one in accesses})


def no_bank_conflicts(claim: Claim, kernel: Kernel, _measured: Measured) -> Answer:
    if kernel.has_device_code and not kernel.shared:
        return in_doubt(kernel) or confirmed("It keeps nothing in shared memory.")
    places, narrow = spoken_of(claim, [one for one in kernel.accesses if one.space == "shared"])
    worst = [one for one in places if (one.conflict_ways or 1) > 1]
    if worst:
        ways = max(one.conflict_ways or 1 for one in worst)
        return against(f"Up to {ways} lanes of a warp meet in one bank: {arrays(worst)}.", at(worst), narrow)
    unclear = [one for one in places if one.conflict_ways is None]
    followed = {one.array for one in places}
    missing = [array for array in kernel.shared if array.name not in followed and not narrow]
    if missing or unclear or not places:
        why = (
            f"{unclear[0].array}: {unclear[0].why}"
            if unclear
            else "not every shared array is read by an index here"
        )
        return unknown(f"It cannot be told from the indices; {why}.", at(unclear))
    return confirmed(
        f"In all {count(len(places), 'access')} the lanes of a warp take different banks.", at(places)
    )
