"""The wrong elements of one output, and which of them the reference's own moves explain."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import torch

from eval_app.engine.judge.comparison.compare import (
    Bounds,
    Difference,
    Tolerance,
    bounds_of,
    flat,
    list_wrong,
    wrong_flags,
)
from eval_app.engine.judge.comparison.plain_error import ROOM
from eval_app.engine.judge.comparison.pointing import PLACES, is_beside, is_held, repeats_anew
from eval_app.engine.judge.values import eight_bits
from eval_app.engine.judge.values.reductions import CHUNK_ELEMENTS

Output = tuple[str, torch.Tensor, torch.Tensor, Difference]

# How much further than other last bits a wider precision may lead an element of a task in single precision, and by what
# share of its size in any case: six layers of half precision, to which a reference casts, are off by up to 10 %.
_WIDER, _OF_SIZE = 8, 0.25
# Moves of one value that differ by more than this factor are noise: those of a step are as large in every run.
_UNLIKE = 1.1
# Elements as rare as at a discontinuity, and after how many runs of the reference that explain none of them no more are
# made: few other last bits lead to the other side.
_RARE_SHARE, RUNS_FOR_RARE = 1e-3, 25
# Also the last few of many that runs explain: of 400 norms over equal values three to six elements of 400 were left
# after the first runs in five. With a share of 0.03 one of 160 norms over 16 equal rows was refused, with this one none
# of 6,900.
_RARE_OF_WRONG, _FEW = 0.1, 16
# Of integers, places for the most part: of the largest scores of 64 in bfloat16, one in 20 has an equal beside it.
_RARE_SHARE_OF_PLACES = 0.05
# Runs for integers: of equal scores some win in one run of ten only, so that after 25 runs a right place was left in
# one of 300 calls, and so do some sides of a step. No number of runs leads to the place of another score.
_RUNS_FOR_INTEGERS = 100


class WrongOutput:
    """The wrong elements of one output: their places in its flat form, and how far the reference goes there."""

    def __init__(self, places: torch.Tensor, got: torch.Tensor, truth: torch.Tensor, bounds: Bounds) -> None:
        self.places, self.got, self.truth = places, got, truth
        self._found = places.numel()
        self._flat_got, self._flat_truth = flat(got), flat(truth)
        self._bounds = bounds
        # How far below and above the truth the reference goes there, and how far at least where it moves at all.
        self._low = torch.zeros(places.shape, dtype=torch.float64, device=places.device)
        self._high, self._least = self._low.clone(), self._low + math.inf
        # How far a wider precision goes, where that counts only if other last bits go about as far.
        self._held = self._low.clone()

    @classmethod
    def of(cls, output: Output, tolerance: Tolerance) -> WrongOutput:
        _, got, truth, _ = output
        flat_got, flat_truth = flat(got), flat(truth)
        bounds = bounds_of(flat_truth, truth.dtype, tolerance)
        starts = range(0, flat_truth.numel(), CHUNK_ELEMENTS)
        parts = [slice(start, start + CHUNK_ELEMENTS) for start in starts]
        places = torch.cat(
            [wrong_flags(flat_got[p], flat_truth[p], bounds).nonzero().flatten() + p.start for p in parts]
        )
        if places.numel() > CHUNK_ELEMENTS:  # some of them stand for all
            drawn = torch.randint(places.numel(), (CHUNK_ELEMENTS,), device=places.device)
            places = places[drawn].unique()
        return cls(places, got, truth, bounds)

    @property
    def are_places(self) -> bool:
        return self._flat_truth.dtype in PLACES

    @property
    def is_integer(self) -> bool:
        return not (self._flat_truth.is_floating_point() or self._flat_truth.is_complex())

    @property
    def is_rare(self) -> bool:
        truth = self._flat_truth
        share = _RARE_SHARE_OF_PLACES if self.are_places else _RARE_SHARE
        last = min(_FEW, _RARE_OF_WRONG * self._found)
        return self.places.numel() <= max(2.0, share * truth.numel(), last)

    @property
    def is_single(self) -> bool:
        """Return whether these are numbers of at least single precision."""
        return self._flat_truth.is_floating_point() and self._flat_truth.dtype.itemsize >= 4

    @property
    def most_runs(self) -> int:
        """Return how many runs in a row may explain none of them, where they are rare."""
        return _RUNS_FOR_INTEGERS if self.is_integer else RUNS_FOR_RARE

    def keep(self, flags: torch.Tensor) -> None:
        self.places, self._least = self.places[flags], self._least[flags]
        self._low, self._high, self._held = self._low[flags], self._high[flags], self._held[flags]

    def keep_steps(self) -> None:
        """Drop the few eight-bit numbers that are rounded the other way: a step there is a good part of a number."""
        if eight_bits.is_eight_bit(self.truth):
            self.keep(~eight_bits.rounded_otherwise(self._flat_got, self._flat_truth, self.places))

    def hold(self, values: torch.Tensor) -> torch.Tensor:
        """Return `values`, the reference's in a wider precision, in flat form and with the truth where they are further
        off than rounding leads: there they count once other last bits lead about as far."""
        flat_values = flat(values).clone()
        truth = self._flat_truth[self.places].double()
        gap = flat_values[self.places].double() - truth
        size = self._bounds.atol / self._bounds.rtol
        far = truth.isfinite() & (gap.abs() > _OF_SIZE * (truth.abs() + size))
        self._held = torch.where(far, gap, 0.0)
        flat_values[self.places[far]] = self._flat_truth[self.places[far]]
        return flat_values

    def compare(self, values: torch.Tensor, *, is_error: bool = True) -> None:
        """Drop the elements that `values`, the reference's from a neighbouring case, explain: those equal to them, and
        those about as far off if what moved them is an error."""
        there, got, truth = (t[self.places] for t in (flat(values), self._flat_got, self._flat_truth))
        if not there.is_floating_point():
            self.keep(there != got)
            return
        there, got, truth = there.double(), got.double(), truth.double()
        same = (there.isnan() & got.isnan()) | (there == got)
        # Where the truth itself overflows, what a wider precision says is right.
        right = torch.where(truth.isfinite(), truth, there)
        room, error = right.abs() * self._bounds.rtol + self._bounds.atol, got - right
        if not is_error:
            equal = (got - there).abs() <= there.abs() * self._bounds.rtol + self._bounds.atol
            self.keep(~(same | (there.isfinite() & equal)))
            return
        self._widen((there - truth).nan_to_num_(0.0, 0.0, 0.0), room)
        near = (error <= room + ROOM * self._high) & (error >= ROOM * self._low - room)
        self.keep(~(same | (right.isfinite() & near)))

    def _widen(self, gap: torch.Tensor, room: torch.Tensor) -> None:
        """Add the reference's own moves, `gap`, shape [n]; `room` is the tolerance there.

        A step has one side, to which every run leads that moves the value. What differs from run to run is noise, and
        half precision rounds to either side: what is reached on one is excused on the other too.
        """
        size = gap.abs()
        reach = _WIDER * torch.maximum(size, torch.maximum(self._high, -self._low))
        held = torch.where(self._held.abs() <= reach, self._held, 0.0)
        self._least = torch.minimum(self._least, torch.where(size > room, size, math.inf))
        self._low = torch.minimum(self._low, torch.minimum(gap, held))
        self._high = torch.maximum(self._high, torch.maximum(gap, held))
        most = torch.maximum(self._high, -self._low)
        noisy = most > _UNLIKE * self._least
        if self._flat_truth.dtype.itemsize <= 2:
            noisy = torch.ones_like(noisy)
        self._low, self._high = torch.where(noisy, -most, self._low), torch.where(noisy, most, self._high)

    def doubles(self, truths: Sequence[torch.Tensor]) -> bool:
        """Return whether these are the places of some other output, and one is given out twice."""
        beside = any(is_beside(self.truth, truth, truth) for truth in truths)
        return beside and repeats_anew(self.got, self.truth)

    def look_up(
        self, found: torch.Tensor, others: Sequence[torch.Tensor], truths: Sequence[torch.Tensor]
    ) -> None:
        """Drop places that the reference's, `found`, hold elsewhere in their row beside the value that is wanted: of
        equal scores either may come first. `others` are all of its outputs there, `truths` those of the case."""
        if self.doubles(truths):
            return
        for values, wanted in zip(others, truths, strict=True):
            if self.places.numel() and is_beside(found, values, wanted):
                got = self._flat_got[self.places]
                self.keep(~is_held(got, self.places, found, values, wanted))

    def difference(self, output: Output) -> Difference:
        place, got, truth, difference = output
        flags = torch.zeros(self._flat_truth.shape, dtype=torch.bool, device=truth.device)
        flags[self.places] = True
        return replace(
            list_wrong(flags, got, truth, place, difference), forgiven=difference.wrong - self.places.numel()
        )
