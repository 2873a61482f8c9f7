"""Whether moves of the reference, as other last bits cause them, explain wrong elements: output by output, since one
that last bits move excuses no other."""

from __future__ import annotations

from collections.abc import Sequence

from eval_app.engine.judge.compare import Difference

# Elements that may be wrong for each that a nudge moves: of 180 draws of attention on large values none is wrong in an
# honest kernel, and one that clips its exponents is in 27 times as many as six nudges move.
_EXCUSED_EACH = 8
# How much further than nudges move any element a wrong one may be: fast waves move everywhere, and by little.
_FURTHER = 8


def joined(outputs: Sequence[Difference]) -> Difference:
    """Return the difference of a call from those of its outputs."""
    whole = Difference()
    for output in outputs:
        whole.add(output)
    whole.outputs = list(outputs)
    return whole


def accumulate(moved: Difference, again: Difference) -> None:
    """Add the difference of another call of the same outputs; a call that gave none says nothing."""
    if not moved.outputs:
        moved.outputs = [Difference() for _ in again.outputs]
    moved.add(again)
    for output, other in zip(moved.outputs, again.outputs, strict=bool(again.outputs)):
        output.add(other)


def is_explained(found: Difference, moved: Difference) -> bool:
    """Return whether the moves explain what was found wrong: by how many elements there are, and by how far off."""
    in_tensors = sum(output.wrong for output in found.outputs)
    if in_tensors != found.wrong or len(found.outputs) != len(
        moved.outputs
    ):  # plain values are wrong as well
        return _suffices(found, moved)
    return all(map(_suffices, found.outputs, moved.outputs))


def _suffices(found: Difference, moved: Difference) -> bool:
    return found.wrong <= _EXCUSED_EACH * moved.wrong and found.furthest <= _FURTHER * moved.furthest
