"""The reference's own error on one case, measured where an output differs from the truth by more than the tolerance.

An error is honest if values that differ in last bits, or a wider precision, lead the reference as far away: at a
discontinuity (a rounding, a comparison, a tie), after a cancellation, or where half precision rounds between steps.
Only outputs that would be refused are looked at, so that other calls cost nothing more.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

import torch

from eval_app.engine.judge import eight_bits, tails
from eval_app.engine.judge.cases import Case
from eval_app.engine.judge.compare import (
    Bounds,
    Difference,
    Tolerance,
    bounds_of,
    flat,
    list_wrong,
    wrong_flags,
)
from eval_app.engine.judge.neighbours import Neighbour, without_choice
from eval_app.engine.judge.plain_error import ROOM, is_reached
from eval_app.engine.judge.pointing import PLACES, is_beside, is_held, points_to_the_same, repeats_anew
from eval_app.engine.judge.reductions import CHUNK_ELEMENTS
from eval_app.engine.judge.verdicts import UnreviewedError

# How much further than the reference a group of elements may be led, as `ROOM` is for each one: of 9,000 calls of
# attention, experts, norms and softmax in half precision none goes further; products of eight-bit operands do.
_TAIL_ROOM = 4
# How much further than other last bits a wider precision may lead an element of a task in single precision, and by what
# share of its size in any case: six layers of half precision, to which a reference casts, are off by up to 10 %.
_WIDER, _OF_SIZE = 8, 0.25
# Moves of one value that differ by more than this factor are noise: those of a step are as large in every run.
_UNLIKE = 1.1
# Runs of the reference for an output; after the first few, only for elements as rare as at a discontinuity, as many
# after the last run that explained any.
_RUNS, _RUNS_FOR_RARE = 5, 25
_RARE_SHARE = 1e-3
# Also the last few of many that runs explain: of 400 norms over equal values three to six elements of 400 were left
# after the first runs in five. With a share of 0.03 one of 160 norms over 16 equal rows was refused, with this one none
# of 6,900.
_RARE_OF_WRONG, _FEW = 0.1, 16
# Of integers, places for the most part: of the largest scores of 64 in bfloat16, one in 20 has an equal beside it.
_RARE_SHARE_OF_PLACES = 0.05
# Runs for such places alone: of equal scores some win in one run of ten only, so that after 25 runs a right place was
# left in one of 300 calls. No number of runs leads to the place of another score.
_RUNS_FOR_PLACES = 100
# Pairs of runs, those after a wider precision among the first few, in which whole numbers and zeros stay; of results of
# so few numbers, all of which are rare, in all pairs.
_KEEPING, _NUMBERS = 2, 16
# Runs that measure the tails of a family's values.
_TAIL_RUNS = 5

Output = tuple[str, torch.Tensor, torch.Tensor, Difference]


class HonestError:
    """Reviews differences with one task's reference."""

    def __init__(self, near: Callable[[Case, int], Iterator[Neighbour]]) -> None:
        """Store what yields the reference's neighbours of a case: see `neighbours`, which takes the number as well."""
        self._near = near
        # Honest tails by family, configuration and place of the output.
        self._tails: dict[tuple[str, str, str], tails.Tails] = {}
        self._allowed_s, self._ends_s = math.inf, math.inf

    def allow(self, seconds: float) -> None:
        """Set how long reviews may take from now on; after that they raise UnreviewedError."""
        self._allowed_s, self._ends_s = seconds, time.monotonic() + seconds

    def _runs(self, case: Case, keeping: int) -> Iterator[Neighbour]:
        """Yield the reference's neighbours of a case while there is time for them."""
        runs = self._near(case, keeping)
        while True:
            if time.monotonic() > self._ends_s:
                limit = f"longer than the {self._allowed_s:.3g} s that the job has for it"
                text = (
                    "results differ where last bits may decide, and calling the reference on other ones takes"
                )
                raise UnreviewedError(f"{text} {limit}")
            near = next(runs, None)
            if near is None:
                return
            yield near

    def review(self, case: Case, outputs: list[Output], tolerance: Tolerance) -> list[Output]:
        """Return the outputs of one call with their differences reduced to what is no honest error, and extended by
        the elements that only a few large ones hide. Each output is its place, values, truth and difference."""
        if not any(difference.wrong or difference.uneven for *_, difference in outputs):
            return outputs
        reviewed = self._forgive(case, outputs, tolerance)
        return [
            self._with_tail(case, number, output, tolerance)
            if output[3].uneven and not output[3].wrong
            else output
            for number, output in enumerate(reviewed)
        ]

    def explained(self, case: Case, given: dict[int, Any]) -> list[int]:
        """Return which of the plain values `given`, in their JSON form by their number, the reference itself reaches on
        values with other last bits: a count of what lies beyond a limit, for one."""
        near = without_choice(self._runs(case, _RUNS_FOR_RARE), _RUNS_FOR_RARE)
        runs = [run.plain for run in near if len(run.plain) == len(case.plain)]
        return [n for n, got in given.items() if is_reached(got, case.plain[n], [plain[n] for plain in runs])]

    def _forgive(self, case: Case, outputs: list[Output], tolerance: Tolerance) -> list[Output]:
        """Drop wrong elements that the reference itself reaches from values with other last bits."""
        left = [_Wrong.of(output, tolerance) if output[3].wrong else None for output in outputs]
        for wrong in left:
            if wrong and points_to_the_same(wrong.got, wrong.truth, case.tensors, case.truth):
                wrong.keep(torch.zeros_like(wrong.places, dtype=torch.bool))
            elif wrong:
                wrong.look_up(wrong.truth, case.results, case.results)
                wrong.keep_steps()
        doubled = [bool(wrong and wrong.doubles(case.results)) for wrong in left]
        counts = [wrong.truth.numel() for wrong in left if wrong]
        keeping = _KEEPING if max(counts, default=0) > _NUMBERS else sys.maxsize
        before, runs = -1, self._runs(case, keeping)
        since: int | None = None
        for number in count():
            open_ones = [wrong for wrong in left if wrong and wrong.places.numel()]
            places = sum(wrong.places.numel() for wrong in open_ones)
            if places != before and all(wrong.is_rare for wrong in open_ones):
                since = number
            tried = [
                wrong for wrong in open_ones if number < (_RUNS if since is None else since + wrong.most_runs)
            ]
            neighbour = next(runs, None) if tried else None
            if neighbour is None:
                break
            for wrong, values, firm in zip(left, neighbour.tensors, doubled, strict=True):
                if wrong in tried and not firm:
                    if neighbour.by_width and wrong.is_single:
                        values = wrong.hold(values)
                    wrong.compare(values, is_error=not neighbour.by_choice)
                    wrong.look_up(values, neighbour.tensors, case.results)
            before = places
        return [
            output if wrong is None else (*output[:3], wrong.difference(output))
            for output, wrong in zip(outputs, left, strict=True)
        ]

    def _with_tail(self, case: Case, number: int, output: Output, tolerance: Tolerance) -> Output:
        """Return the output with those elements wrong that are further off for their size than the reference's."""
        place, got, truth, difference = output
        key = (case.name, case.config, place)
        mine = tails.measure(got, truth, tolerance)
        honest = self._tails.setdefault(key, {})
        if not tails.beyond(mine, honest, _TAIL_ROOM):
            return output
        runs = [
            tails.measure(run.tensors[number], truth, tolerance)
            for run in without_choice(self._runs(case, 0), _TAIL_RUNS)
        ]
        honest |= tails.largest([honest, *(runs or [mine])])
        bad = tails.beyond(mine, honest, _TAIL_ROOM)
        if not bad:
            return output
        flags = tails.flags(got, truth, tolerance, bad)
        return place, got, truth, list_wrong(flags, got, truth, place, difference)


class _Wrong:
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
    def of(cls, output: Output, tolerance: Tolerance) -> _Wrong:
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
    def is_rare(self) -> bool:
        truth = self._flat_truth
        share = _RARE_SHARE_OF_PLACES if truth.dtype in PLACES else _RARE_SHARE
        last = min(_FEW, _RARE_OF_WRONG * self._found)
        return self.places.numel() <= max(2.0, share * truth.numel(), last)

    @property
    def is_single(self) -> bool:
        """Return whether these are numbers of at least single precision."""
        return self._flat_truth.is_floating_point() and self._flat_truth.dtype.itemsize >= 4

    @property
    def most_runs(self) -> int:
        """Return how many runs in a row may explain none of them, where they are rare."""
        return _RUNS_FOR_PLACES if self._flat_truth.dtype in PLACES else _RUNS_FOR_RARE

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
