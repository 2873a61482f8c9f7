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
    named = [place for place in places if place.array in claim.arrays]
    return (named, True) if named else (places, False)


def against(why: str, lines: list[int], narrow: bool) -> Answer:
    """Return the answer to a sentence about one access, which another access of the array does not contradict."""
    if narrow:
        return unknown(f"It refers to one access; for the whole array: {why[0].lower()}{why[1:]}", lines)
    return contradicted(why, lines)


def coalesced(claim: Claim, kernel: Kernel, _measured: Measured) -> Answer:
    if not kernel.has_device_code:
        return absent(kernel, "access")
    if "triton" in kernel.languages:
        return unknown("Triton's compiler decides how memory is accessed.")
    places, narrow = spoken_of(claim, [place for place in kernel.accesses if place.space == "global"])
    apart = [place for place in places if place.stride is not None and abs(place.stride) > 1]
    unclear = [place for place in places if place.stride is None]
    if apart:
        far = max(abs(place.stride or 0) for place in apart)
        return against(
            f"Neighbouring threads access elements up to {far} apart: {arrays(apart)}.", at(apart), narrow
        )
    if unclear or not places:
        return unknown(why_unclear(places, unclear), at(unclear))
    if all(place.stride == 0 for place in places):
        return unknown(
            "Every access that could be followed is the same for all threads of a warp.", at(places)
        )
    together = [place for place in places if place.stride]
    same = len(places) - len(together)
    rest = f"; in the other {same} all threads of a warp access the same element" if same else ""
    which = (
        f"all {count(len(places), 'access')}" if not same else f"{len(together)} of {len(places)} accesses"
    )
    return confirmed(f"In {which} neighbouring threads access neighbouring elements{rest}.", at(together))


def why_unclear(places: list[Access], unclear: list[Access]) -> str:
    if not places:
        return "No access of global memory by an index could be followed."
    followed = f"{len(places) - len(unclear)} of {len(places)} accesses could be followed"
    return f"{followed}; {unclear[0].array}: {unclear[0].why}."


def arrays(accesses: Iterable[Access]) -> str:
    return ", ".join(dict.fromkeys(place.array for place in accesses))


def at(accesses: Iterable[Access]) -> list[int]:
    return sorted({place.line for place in accesses})


def no_bank_conflicts(claim: Claim, kernel: Kernel, _measured: Measured) -> Answer:
    if kernel.has_device_code and not kernel.shared:
        return in_doubt(kernel) or confirmed("It uses no shared memory.")
    places, narrow = spoken_of(claim, [place for place in kernel.accesses if place.space == "shared"])
    worst = [place for place in places if (place.conflict_ways or 1) > 1]
    if worst:
        ways = max(place.conflict_ways or 1 for place in worst)
        return against(f"Up to {ways} lanes of a warp access one bank: {arrays(worst)}.", at(worst), narrow)
    unclear = [place for place in places if place.conflict_ways is None]
    followed = {place.array for place in places}
    missing = [array for array in kernel.shared if array.name not in followed and not narrow]
    if missing or unclear or not places:
        why = (
            f"{unclear[0].array}: {unclear[0].why}"
            if unclear
            else "not every shared array is read by an index here"
        )
        return unknown(f"The indices do not show it; {why}.", at(unclear))
    return confirmed(
        f"In all {count(len(places), 'access')} the lanes of a warp access different banks.", at(places)
    )
