"""What the reference gives beside the truth: in a wider precision, and on values with other last bits."""

from __future__ import annotations

import copy
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import cycle, islice
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from eval_app.engine.judge.last_bits import dtype_constants
from eval_app.engine.judge.last_bits.rounded_steps import ConversionsNudged, StepsNudged
from eval_app.engine.judge.last_bits.ties import TiesBroken
from eval_app.engine.judge.task.cases import Case, plain_of, same_bits
from eval_app.engine.judge.task.reference import flatten_output, require_context
from eval_app.engine.judge.values import eight_bits
from eval_app.engine.judge.values.families import MADE_WHOLE, Domain, moves, nudge, nudge_absolutely
from eval_app.engine.shared.seeding import set_seed
from eval_app.engine.shared.trees import leaves, unflatten

# Pairs before nudges become twice as large: a score in half precision is itself rounded by more than one of its inputs.
_SMALL_PAIRS = 6
# Runs in which each step rounds otherwise, after each pair but the first.
ROUNDINGS = 3
Step = Callable[[torch.Tensor, int], torch.Tensor]


@dataclass(frozen=True)
class Neighbour:
    """What the reference gives in another precision or on other last bits: tensors in the truth's shapes and dtypes,
    and plain values in their JSON form."""

    tensors: list[torch.Tensor]
    plain: list[Any]
    # Whether it chose among equal scores at random: what lies behind them is then another value, and no error.
    by_choice: bool = False
    # Whether it is in a wider precision, where other last bits could say as well how far the reference's error goes.
    by_width: bool = False


Change = Callable[[torch.Tensor], torch.Tensor]
Run = Callable[[torch.nn.Module, Case, Change], Neighbour]


def neighbours(
    model: torch.nn.Module,
    case: Case,
    keeping: int = 0,
    make: Run | None = None,
    *,
    domain: Domain = Domain.UNIT,
) -> Iterator[Neighbour]:
    """Yield the reference's results in a wider precision, then on values with other last bits, in pairs of opposite
    signs. What the reference cannot run that way is left out. Numbers of eight bits are moved in a wider form, if
    a task takes no others; where inputs and weights are integers alone, the numbers that the reference makes of them.

    In the first `keeping` pairs a task's whole numbers and zeros stay: a kernel that takes one label for another, or
    anything for nothing, is not as right as the reference. The second of each pair chooses among equal scores at
    random. After all pairs but the first come runs in which each step rounds otherwise; in half precision only later,
    unless the reference alone uses it. `make` returns other results than those of a call. Values stay in the task's
    `domain`.
    """
    make = make or _run_whole
    yield from widened(model, case, make)
    ways: tuple[Run, ...] = (make, partial(_run_with_ties_broken, make))
    form, *coarser = forms = eight_bits.forms(case.tensors)
    for number, way in enumerate(cycle((nudge, nudge_absolutely))):
        made_whole = case.name in MADE_WHOLE
        keeps = number < keeping and not made_whole
        if number < keeping and made_whole:  # whole numbers move there, and zeros stay
            way = nudge
        step = partial(way, keeps=keeps, domain=domain)
        seed = secrets.randbits(31)  # every call of the reference sets the same seed again
        size = 1 if number < _SMALL_PAIRS else 2
        changes = [_signed(step, seed, size * sign, form) for sign in (1, -1)]
        moving = any(moves(form(tensor), keeps=keeps) for tensor in case.tensors)
        pair = list(_pair(ways, [model, model], case, changes)) if moving else []
        if moving and coarser and not any(_is_moved(found, case) for found in pair[:1]):
            form = coarser.pop()
            continue
        if not moving or (len(forms) > 1 and not pair):
            models, there = (_changed(model, change) for change in changes), ways
            if not keeps and not any(map(is_number, model.parameters())):
                there = tuple(partial(_run_under, partial(ConversionsNudged, size), way) for way in ways)
            pair = list(_pair(there, models, case, [torch.clone, torch.clone]))
        if not pair:
            return
        yield from pair
        if number:
            yield from _rounded(make, number, model, case)


def without_choice(runs: Iterator[Neighbour], count: int) -> Iterator[Neighbour]:
    """Yield up to `count` runs that differ from the truth by errors alone."""
    return islice((run for run in islice(runs, 2 * count) if not run.by_choice), count)


def widened(model: torch.nn.Module, case: Case, make: Run | None = None) -> Iterator[Neighbour]:
    """Yield the reference's results in a wider precision, or nothing where it cannot run that way.

    Constants that it derives from the dtype of its values by `torch.finfo` stay those of the task's own: another limit
    is no error. A reference that asks for fewer or more of them there takes another way, which says nothing.
    """
    make = make or _run_whole
    with dtype_constants.asked() as wide:
        found = list(_run(make, _changed(model, _widen, buffers=True), case, _widen))
    if found and wide:
        with dtype_constants.asked() as own:
            again = list(_run(make, _changed(model, torch.clone, buffers=True), case, torch.clone))
        if not again or len(own) != len(wide):
            return
        with dtype_constants.answered(own):
            found = list(_run(make, _changed(model, _widen, buffers=True), case, _widen))
    has_last_bits = any(moves(tensor, keeps=True) for tensor in (*case.tensors, *model.parameters()))
    yield from (replace(run, by_width=has_last_bits) for run in found)


def run(model: torch.nn.Module, case: Case, change: Change) -> list[torch.Tensor]:
    """Return the results of `model` on the case's inputs, each floating-point input changed. Raises ValueError if their
    shapes differ from the case's, and whatever the model raises."""
    return _run_whole(model, case, change).tensors


def _run_with_ties_broken(make: Run, model: torch.nn.Module, case: Case, change: Change) -> Neighbour:
    with TiesBroken(half=True, rounded=True):
        return replace(make(model, case, change), by_choice=True)


def _rounded(make: Run, number: int, model: torch.nn.Module, case: Case) -> Iterator[Neighbour]:
    """Yield what the reference gives where each step rounds otherwise."""
    given = (*case.tensors, *model.parameters())
    takes_halves = any(is_number(x) and x.dtype.itemsize <= 2 for x in given)
    halves = number > 1 or not takes_halves or not all(map(is_number, case.results))
    way = partial(_run_under, partial(StepsNudged, halves=halves), make)
    for _ in range(ROUNDINGS):
        yield from _run(way, model, case, torch.clone)


def _run_under(
    mode: Callable[[], TorchDispatchMode], make: Run, model: torch.nn.Module, case: Case, change: Change
) -> Neighbour:
    with mode():
        return make(model, case, change)


def _run_whole(model: torch.nn.Module, case: Case, change: Change) -> Neighbour:
    tensors = [change(t) if is_number(t) else t.clone() for t in case.tensors]
    set_seed(case.rng)
    form, outputs = flatten_output(model(*unflatten(case.tree, tensors)))
    if not case.truth:
        outputs = [tensors[number] for number in case.overwritten]
    if [t.shape for t in outputs] != [t.shape for t in case.results]:
        raise ValueError("in another precision the reference's output shapes differ")
    return Neighbour(outputs, plain_of(leaves(form)))


def _pair(
    ways: Sequence[Run], models: Iterable[torch.nn.Module | None], case: Case, changes: Sequence[Change]
) -> Iterator[Neighbour]:
    """Yield what each way of running the reference gives on its change of the values."""
    for make, model, change in zip(ways, models, changes, strict=True):
        yield from _run(make, model, case, change)


def _run(make: Run, model: torch.nn.Module | None, case: Case, change: Change) -> Iterator[Neighbour]:
    """Yield the results in the truth's dtypes, or nothing where the reference cannot run that way."""
    if model is None:
        return
    try:
        found = make(model, case, change)
    except Exception as error:
        # A reference may fail in any way in a form that it was not written for, a larger one not fit.
        require_context(error)
        return
    pairs = zip(found.tensors, case.results, strict=True)
    yield replace(found, tensors=[output.to(truth.dtype) for output, truth in pairs])


def _changed(model: torch.nn.Module, change: Change, *, buffers: bool = False) -> torch.nn.Module | None:
    """Return a copy of the model with changed weights, and buffers if asked; None if there is no such form."""
    try:
        model = copy.deepcopy(model)
        for tensor in [*model.parameters(), *(model.buffers() if buffers else ())]:
            if is_number(tensor):
                tensor.data = change(tensor.data)
    except Exception:  # some models hold what cannot be copied, or have no other form
        return None
    return model


def _widen(x: torch.Tensor) -> torch.Tensor:
    """Return a copy in a wider dtype: the reference may change it."""
    wide = torch.float32 if x.dtype.itemsize < (8 if x.is_complex() else 4) else torch.float64
    return x.to(wide.to_complex() if x.is_complex() else wide, copy=True)


def is_number(x: torch.Tensor) -> bool:
    """Return whether a tensor holds numbers that have last bits."""
    return x.is_floating_point() or x.is_complex()


def _is_moved(found: Neighbour, case: Case) -> bool:
    pairs = zip(found.tensors, case.results, strict=True)
    return found.plain != case.plain or not all(same_bits(a, b) for a, b in pairs)


def _signed(step: Step, seed: int, sign: int, form: eight_bits.Form) -> Change:
    """Return a change of last bits, in another `form`, whose directions come from `seed`."""
    places = iter(range(seed, seed + 2**31))

    def change(x: torch.Tensor) -> torch.Tensor:
        set_seed(next(places))
        return step(form(x), sign)

    return change
