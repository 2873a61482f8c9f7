"""The reference's own error on one case, measured where an output differs from the truth by more than the tolerance.

An error is honest if values that differ in last bits, or a wider precision, lead the reference as far away: at a
discontinuity (a rounding, a comparison, a tie), after a cancellation, or where half precision rounds between steps.
Only outputs that would be refused are looked at, so that other calls cost nothing more.
"""

from __future__ import annotations

import copy
import secrets
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import cycle, islice

import torch

from eval_app.engine.judge import tails
from eval_app.engine.judge.cases import Case, CaseMaker
from eval_app.engine.judge.compare import (
    Bounds,
    Difference,
    Tolerance,
    bounds_of,
    flat,
    list_wrong,
    wrong_flags,
)
from eval_app.engine.judge.families import nudge, nudge_absolutely
from eval_app.engine.judge.pointing import points_to_the_same
from eval_app.engine.judge.reductions import CHUNK_ELEMENTS
from eval_app.engine.judge.reference import flatten_output
from eval_app.engine.shared.seeding import set_seed
from eval_app.engine.shared.trees import unflatten

# How much further than the reference an output may be led, per element and per group of elements: of 9,000 calls of
# attention, experts, norms and softmax in half precision none goes further; products of eight-bit operands do.
_ROOM, _TAIL_ROOM = 2.0, 4.0
# Runs of the reference for an output: those after the first few only for elements as rare as at a discontinuity.
_RUNS, _RUNS_FOR_RARE = 5, 25
_RARE_SHARE = 1e-3
# Runs that measure the tails of a family's values.
_TAIL_RUNS = 5

Output = tuple[str, torch.Tensor, torch.Tensor, Difference]


class HonestError:
    """Reviews differences with one task's reference."""

    def __init__(self, maker: CaseMaker) -> None:
        """Store the reference's maker of cases."""
        self._maker = maker
        # Honest tails by family, configuration and output.
        self._tails: dict[tuple[str, str, int], tails.Tails] = {}

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

    def _forgive(self, case: Case, outputs: list[Output], tolerance: Tolerance) -> list[Output]:
        """Drop wrong elements that the reference itself reaches from values with other last bits."""
        left = [_Wrong.of(output, tolerance) if output[3].wrong else None for output in outputs]
        for wrong in left:
            if wrong and points_to_the_same(wrong.got, wrong.truth, case.tensors):
                wrong.keep(torch.zeros_like(wrong.places, dtype=torch.bool))
        for number, neighbour in enumerate(self._neighbours(case)):
            open_ones = [wrong for wrong in left if wrong and wrong.places.numel()]
            limit = _RUNS_FOR_RARE if all(wrong.is_rare for wrong in open_ones) else _RUNS
            if not open_ones or number >= limit:
                break
            for wrong, values in zip(left, neighbour, strict=True):
                if wrong and wrong.places.numel():
                    wrong.compare(values)
        return [
            output if wrong is None else (*output[:3], wrong.difference(output))
            for output, wrong in zip(outputs, left, strict=True)
        ]

    def _with_tail(self, case: Case, number: int, output: Output, tolerance: Tolerance) -> Output:
        """Return the output with those elements wrong that are further off for their size than the reference's."""
        place, got, truth, difference = output
        key = (case.name, case.config, number)
        mine = tails.measure(got, truth, tolerance)
        honest = self._tails.setdefault(key, {})
        if not tails.beyond(mine, honest, _TAIL_ROOM):
            return output
        runs = [
            tails.measure(run[number], truth, tolerance) for run in islice(self._neighbours(case), _TAIL_RUNS)
        ]
        honest |= tails.largest([honest, *(runs or [mine])])
        bad = tails.beyond(mine, honest, _TAIL_ROOM)
        if not bad:
            return output
        flags = tails.flags(got, truth, tolerance, bad)
        return place, got, truth, list_wrong(flags, got, truth, place, difference)

    def _neighbours(self, case: Case) -> Iterator[list[torch.Tensor]]:
        """Yield the reference's outputs in a wider precision, then on values with other last bits, in pairs of opposite
        signs. What the reference cannot run that way is left out."""
        model = self._maker.reference.model
        yield from _run(_widened(model), case, _widen)
        for step in cycle((nudge, nudge_absolutely)):
            seed = secrets.randbits(31)  # every call of the reference sets the same seed again
            pair = [
                outputs
                for sign in (1, -1)
                for outputs in _run(
                    _nudged_model(model, case, step, seed, sign), case, _signed(step, seed, sign)
                )
            ]
            if not pair:
                return
            yield from pair


class _Wrong:
    """The wrong elements of one output: their places in its flat form, and how far the reference goes there."""

    def __init__(self, places: torch.Tensor, got: torch.Tensor, truth: torch.Tensor, bounds: Bounds) -> None:
        self.places, self.got, self.truth = places, got, truth
        self._flat_got, self._flat_truth = flat(got), flat(truth)
        self._bounds = bounds
        self._reach = torch.zeros(places.shape, dtype=torch.float64, device=places.device)

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
        return self.places.numel() <= max(2.0, _RARE_SHARE * self._flat_truth.numel())

    def keep(self, flags: torch.Tensor) -> None:
        self.places, self._reach = self.places[flags], self._reach[flags]

    def compare(self, values: torch.Tensor) -> None:
        """Drop the elements that `values`, the reference's from a neighbouring case, explain."""
        there, got, truth = (t[self.places] for t in (flat(values), self._flat_got, self._flat_truth))
        if not there.is_floating_point():
            self.keep(there != got)
            return
        there, got, truth = there.double(), got.double(), truth.double()
        reach = (there - truth).abs_()
        self._reach = torch.maximum(self._reach, torch.where(reach.isfinite(), reach, 0.0))
        same = (there.isnan() & got.isnan()) | (there == got)
        # Where the truth itself overflows, what a wider precision says is right.
        right = torch.where(truth.isfinite(), truth, there)
        room = right.abs() * self._bounds.rtol + self._bounds.atol + _ROOM * self._reach
        self.keep(~(same | (right.isfinite() & ((got - right).abs_() <= room))))

    def difference(self, output: Output) -> Difference:
        place, got, truth, difference = output
        flags = torch.zeros(self._flat_truth.shape, dtype=torch.bool, device=truth.device)
        flags[self.places] = True
        return replace(
            list_wrong(flags, got, truth, place, difference), forgiven=difference.wrong - self.places.numel()
        )


def run(
    model: torch.nn.Module, case: Case, change: Callable[[torch.Tensor], torch.Tensor]
) -> list[torch.Tensor]:
    """Return the results of `model` on the case's inputs, each floating-point input changed. Raises ValueError if their
    shapes differ from the case's, and whatever the model raises."""
    tensors = [change(t) if t.is_floating_point() else t.clone() for t in case.tensors]
    set_seed(case.rng)
    outputs = flatten_output(model(*unflatten(case.tree, tensors)))[1]
    if not case.truth:
        outputs = [tensors[number] for number in case.overwritten]
    if [t.shape for t in outputs] != [t.shape for t in case.results]:
        raise ValueError("in another precision the reference's output shapes differ")
    return outputs


def _run(
    model: torch.nn.Module | None, case: Case, change: Callable[[torch.Tensor], torch.Tensor]
) -> Iterator[list[torch.Tensor]]:
    """Yield the results in the truth's dtypes, or nothing where the reference cannot run that way."""
    if model is None:
        return
    try:
        outputs = run(model, case, change)
    except (
        Exception
    ):  # a reference may fail in any way in a form that it was not written for, a larger one not fit
        return
    yield [output.to(truth.dtype) for output, truth in zip(outputs, case.results, strict=True)]


def _widened(model: torch.nn.Module) -> torch.nn.Module | None:
    try:
        model = copy.deepcopy(model)
        for tensor in [*model.parameters(), *model.buffers()]:
            if tensor.is_floating_point():
                tensor.data = _widen(tensor.data)
    except Exception:  # some models hold what cannot be copied, or have no other form
        return None
    return model


def _widen(x: torch.Tensor) -> torch.Tensor:
    """Return a copy in a wider dtype: the reference may change it."""
    return x.to(torch.float32 if x.dtype.itemsize < 4 else torch.float64, copy=True)


def _signed(
    step: Callable[[torch.Tensor, int], torch.Tensor], seed: int, sign: int
) -> Callable[[torch.Tensor], torch.Tensor]:
    """Return a change of last bits whose directions come from `seed`."""
    places = iter(range(seed, seed + 2**31))

    def change(x: torch.Tensor) -> torch.Tensor:
        set_seed(next(places))
        return step(x, sign)

    return change


def _nudged_model(
    model: torch.nn.Module,
    case: Case,
    step: Callable[[torch.Tensor, int], torch.Tensor],
    seed: int,
    sign: int,
) -> torch.nn.Module | None:
    """Return the model; one with nudged weights where no input is a floating-point tensor."""
    if any(tensor.is_floating_point() for tensor in case.tensors):
        return model
    change = _signed(step, seed, sign)
    try:
        model = copy.deepcopy(model)
        for tensor in model.parameters():
            if tensor.is_floating_point():
                tensor.data = change(tensor.data)
    except Exception:  # some models hold what cannot be copied, or have no other form
        return None
    return model
