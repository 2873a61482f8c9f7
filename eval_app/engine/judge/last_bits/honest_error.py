"""The reference's own error on one case, measured where an output differs from the truth by more than the tolerance.

An error is honest if values that differ in last bits, or a wider precision, lead the reference as far away: at a
discontinuity (a rounding, a comparison, a tie), after a cancellation, or where half precision rounds between steps.
Only outputs that would be refused are looked at, so that other calls cost nothing more.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from itertools import count
from typing import Any

import torch

from eval_app.engine.judge.comparison import tails
from eval_app.engine.judge.comparison.compare import Tolerance, list_wrong
from eval_app.engine.judge.comparison.plain_error import is_reached
from eval_app.engine.judge.comparison.pointing import points_to_the_same, repeats_anew
from eval_app.engine.judge.comparison.wrong_output import RUNS_FOR_RARE, Output, WrongOutput
from eval_app.engine.judge.last_bits.neighbours import ROUNDINGS, Neighbour, without_choice
from eval_app.engine.judge.task.cases import Case
from eval_app.engine.judge.verdicts import UnreviewedError

# How much further than the reference a group of elements may be led, as `ROOM` is for each one: of 9,000 calls of
# attention, experts, norms and softmax in half precision none goes further; products of eight-bit operands do.
_TAIL_ROOM = 4
# Runs of the reference for an output; after the first few, only for elements as rare as at a discontinuity, as many
# after the last run that explained any.
_RUNS = 5 + ROUNDINGS
# More for integers while a turn of so many runs explains a part of what is left: half precision rounds a tenth of them
# otherwise.
_TURN, _SHRINKING = 2 + ROUNDINGS, 0.9
# Pairs of runs, those after a wider precision among the first few, in which whole numbers and zeros stay; of results of
# so few numbers, all of which are rare, in all pairs.
_KEEPING, _NUMBERS = 2, 16
# Of what plain values differ by: of 64 jobs whose counts last bits decide in every other call, one review refused four.
_REVIEWS = 2
# Runs that measure the tails of a family's values.
_TAIL_RUNS = 5


class HonestError:
    """Reviews differences with one task's reference."""

    def __init__(
        self,
        near: Callable[[Case, int], Iterator[Neighbour]],
        settles_places: Callable[[Case], bool] = lambda case: False,
    ) -> None:
        """Store what yields the reference's neighbours of a case: see `neighbours`, which takes the number as well; and
        what tells whether no place of an equal value is as right as the reference's."""
        self._near, self._settles_places = near, settles_places
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
        values with other last bits: a count of what lies beyond a limit, for one. These are drawn at random, so that
        as many runs more are made for what the first do not reach, if there is time."""
        reached: list[int] = []
        runs: list[list[Any]] = []
        for number in range(_REVIEWS):
            with suppress(UnreviewedError) if number else nullcontext():
                near = without_choice(self._runs(case, RUNS_FOR_RARE), RUNS_FOR_RARE)
                runs += [run.plain for run in near if len(run.plain) == len(case.plain)]
            reached = [n for n, got in given.items() if is_reached(got, case.plain[n], [r[n] for r in runs])]
            if len(reached) == len(given):
                break
        return reached

    def _forgive(self, case: Case, outputs: list[Output], tolerance: Tolerance) -> list[Output]:
        """Drop wrong elements that the reference itself reaches from values with other last bits."""
        left = [WrongOutput.of(output, tolerance) if output[3].wrong else None for output in outputs]
        are_settled = any(wrong and wrong.are_places for wrong in left) and self._settles_places(case)
        for one in filter(None, left):
            if not are_settled and points_to_the_same(one.got, one.truth, case.tensors, case.truth):
                one.keep(torch.zeros_like(one.places, dtype=torch.bool))
            elif not are_settled:
                one.look_up(one.truth, case.results, case.results)
            one.keep_steps()
        doubled = {n for n, wrong in enumerate(left) if wrong and wrong.doubles(case.results)}
        counts = [wrong.truth.numel() for wrong in left if wrong]
        keeping = _KEEPING if max(counts, default=0) > _NUMBERS else sys.maxsize
        runs, seen = self._runs(case, keeping), [-1]
        since: int | None = None
        for number in count():
            open_ones = [wrong for wrong in left if wrong and wrong.places.numel()]
            places = sum(wrong.places.numel() for wrong in open_ones)
            if places != seen[-1] and all(wrong.is_rare for wrong in open_ones):
                since = number
            seen.append(places)
            tried = [wrong for wrong in open_ones if number < _most_runs(wrong, seen, since)]
            neighbour = next(runs, None) if tried else None
            if neighbour is None:
                break
            for n, (wrong, values) in enumerate(zip(left, neighbour.tensors, strict=True)):
                if n in doubled and repeats_anew(values, case.results[n]):  # as a running maximum does
                    doubled.discard(n)
                if wrong in tried and n not in doubled:
                    if neighbour.by_width and wrong.is_single:
                        values = wrong.hold(values)
                    wrong.compare(values, is_error=not neighbour.by_choice)
                    if not are_settled:
                        wrong.look_up(values, neighbour.tensors, case.results)
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


def _most_runs(wrong: WrongOutput, seen: list[int], since: int | None) -> int:
    """Return after how many runs an output is looked at no more; `seen` are the wrong elements before each run so far,
    `since` the number of the last one that left others of those that are rare."""
    if since is not None:
        return since + wrong.most_runs
    shrinks = len(seen) > _RUNS and seen[-1] <= _SHRINKING * seen[-1 - _TURN]
    return RUNS_FOR_RARE if wrong.is_integer and shrinks else _RUNS
