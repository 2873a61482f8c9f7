"""Whether moves of the reference, as other last bits cause them, explain wrong elements: output by output, since one
that last bits move excuses no other, and of one output half of the wrong elements by moves of their own."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from eval_app.engine.judge.comparison.compare import Difference, Tolerance, bounds_of, compare, flat
from eval_app.engine.judge.comparison.wrong_places import WrongElements

# Of 1,500 draws of attention on scaled-up values, a kernel of another order of sums is wrong in 112; one nudge of the
# inputs does not move the reference in 10 of these, three in 1, eight in none.
NUDGES = 6
# As long as more of the wrong elements move in some of as many runs again.
MOST_RUNS = 4 * NUDGES
# Elements that may be wrong for each that a nudge moves: of 180 draws of attention on large values none is wrong in an
# honest kernel, and one that clips its exponents is in 27 times as many as six nudges move.
_EXCUSED_EACH = 8
# How much further than nudges move any element a wrong one may be: fast waves move everywhere, and by little. Also how
# much further than they move this one.
_FURTHER = 8
# Of the wrong elements, the share that no run needs to move: a choice is made otherwise in some runs alone.
_UNMOVED = 1 / 2
# Nor need those be moved that are off by no more than this many times the tolerance: large values magnify a kernel's
# own roundings, too.
_NEAR = 4


def joined(outputs: Sequence[Difference]) -> Difference:
    """Return the difference of a call from those of its outputs."""
    whole = Difference()
    for output in outputs:
        whole.add(output)
    whole.outputs = list(outputs)
    return whole


class Moves:
    """What runs of the reference on other last bits explain of what a call has wrong."""

    def __init__(self, found: Difference, tolerance: Tolerance) -> None:
        """Start without runs."""
        self._found, self._tolerance = found, tolerance
        self._left = [_Unmoved(output.elements) for output in found.outputs]
        self.moved = Difference()
        self._runs = self._last = 0

    def add(
        self,
        results: Sequence[torch.Tensor] | None,
        wanted: Sequence[torch.Tensor],
        plain: Difference | None = None,
    ) -> None:
        """Add a run by its results, if it gave any, the truth, and how its plain values differ. Results of other shapes
        are moved all, by anything."""
        self._runs += 1
        if results is None:
            return
        of_plain = [plain] if plain and len(self._found.outputs) > len(wanted) else []
        if [t.shape for t in results] != [t.shape for t in wanted]:
            shapes = [Difference(wrong=max(1, t.numel()), furthest=math.inf) for t in wanted]
            self.moved = joined([*shapes, *of_plain])
            self._left = []
            return
        pairs = list(zip(results, wanted, strict=True))
        if self._runs <= NUDGES:  # more runs would excuse more elements
            again = [compare(a, b, self._tolerance) for a, b in pairs]
            accumulate(self.moved, joined([*again, *of_plain]))
        before = self._count
        for left, (a, b) in zip(self._left, pairs, strict=False):
            left.drop_moved(a, b, self._tolerance)
        self._last = self._runs if self._count < before else self._last

    def explain(self) -> bool:
        """Return whether the runs so far explain it."""
        return is_explained(self._found, self.moved) and all(left.are_few for left in self._left)

    @property
    def is_decided(self) -> bool:
        """Return whether more runs would change nothing."""
        is_enough = self._runs - self._last >= NUDGES or self._runs >= MOST_RUNS
        is_hopeless = self._runs >= NUDGES and not is_explained(self._found, self.moved)
        return self.explain() or is_enough or is_hopeless

    @property
    def _count(self) -> int:
        return sum(left.count for left in self._left)


class _Unmoved:
    """The wrong elements of one output that no run has moved comparably far."""

    def __init__(self, elements: WrongElements | None) -> None:
        self._elements = elements
        self.total = self.count = elements.places.numel() if elements else 0

    @property
    def are_few(self) -> bool:
        """Return whether they are few beside all wrong ones."""
        return self.count <= _UNMOVED * self.total

    def drop_moved(self, values: torch.Tensor, truth: torch.Tensor, tolerance: Tolerance) -> None:
        """Drop those that differ in `values`, a run's, by an eighth of their error, and those that are hardly wrong;
        integers, if they differ."""
        if self._elements is None:
            return
        there, right = (flat(t)[self._elements.places] for t in (values, truth))
        if right.is_floating_point():
            bounds = bounds_of(flat(truth), truth.dtype, tolerance)
            there, right = there.double(), right.double()  # a GPU computes with no eight-bit ones
            near = _NEAR * (right.abs() * bounds.rtol + bounds.atol)
            near.masked_fill_(~right.isfinite(), 0)  # nothing is near infinity
            same = (there == right) | (there.isnan() & right.isnan())
            gap = (there - right).abs_().nan_to_num_(nan=math.inf, posinf=math.inf).masked_fill_(same, 0)
            stays = torch.maximum(gap * _FURTHER, near) < self._elements.gaps
        else:
            stays = there == right
        self._elements = WrongElements(self._elements.places[stays], self._elements.gaps[stays])
        self.count = self._elements.places.numel()


def accumulate(moved: Difference, again: Difference) -> None:
    """Add the difference of another call of the same outputs; a call that gave none says nothing."""
    if not moved.outputs:
        moved.outputs = [Difference() for _ in again.outputs]
    moved.add(again)
    for output, other in zip(moved.outputs, again.outputs, strict=bool(again.outputs)):
        output.add(other)


def is_explained(found: Difference, moved: Difference) -> bool:
    """Return whether the moves explain what was found wrong: by how many elements there are, and by how far off. All
    plain values are one more output."""
    in_outputs = sum(output.wrong for output in found.outputs)
    if in_outputs != found.wrong or len(found.outputs) != len(moved.outputs):
        return _suffices(found, moved)
    return all(map(_suffices, found.outputs, moved.outputs))


def _suffices(found: Difference, moved: Difference) -> bool:
    return found.wrong <= _EXCUSED_EACH * moved.wrong and found.furthest <= _FURTHER * moved.furthest
