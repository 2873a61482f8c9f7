"""What the reference gives beside the truth: in a wider precision, and on values with other last bits."""

from __future__ import annotations

import copy
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import torch

from eval_app.engine.judge.cases import Case, plain_of
from eval_app.engine.judge.families import nudge, nudge_absolutely
from eval_app.engine.judge.reference import flatten_output
from eval_app.engine.shared.seeding import set_seed
from eval_app.engine.shared.trees import leaves, unflatten


@dataclass(frozen=True)
class Neighbour:
    """What the reference gives in another precision or on other last bits: tensors in the truth's shapes and dtypes,
    and plain values in their JSON form."""

    tensors: list[torch.Tensor]
    plain: list[Any]


def neighbours(model: torch.nn.Module, case: Case) -> Iterator[Neighbour]:
    """Yield the reference's results in a wider precision, then on values with other last bits, in pairs of opposite
    signs. What the reference cannot run that way is left out."""
    yield from _run(_widened(model), case, _widen)
    for step in cycle((nudge, nudge_absolutely)):
        seed = secrets.randbits(31)  # every call of the reference sets the same seed again
        pair = [
            outputs
            for sign in (1, -1)
            for outputs in _run(_nudged_model(model, case, step, seed, sign), case, _signed(step, seed, sign))
        ]
        if not pair:
            return
        yield from pair


def run(
    model: torch.nn.Module, case: Case, change: Callable[[torch.Tensor], torch.Tensor]
) -> list[torch.Tensor]:
    """Return the results of `model` on the case's inputs, each floating-point input changed. Raises ValueError if their
    shapes differ from the case's, and whatever the model raises."""
    return _run_whole(model, case, change).tensors


def _run_whole(
    model: torch.nn.Module, case: Case, change: Callable[[torch.Tensor], torch.Tensor]
) -> Neighbour:
    tensors = [change(t) if t.is_floating_point() else t.clone() for t in case.tensors]
    set_seed(case.rng)
    form, outputs = flatten_output(model(*unflatten(case.tree, tensors)))
    if not case.truth:
        outputs = [tensors[number] for number in case.overwritten]
    if [t.shape for t in outputs] != [t.shape for t in case.results]:
        raise ValueError("in another precision the reference's output shapes differ")
    return Neighbour(outputs, plain_of(leaves(form)))


def _run(
    model: torch.nn.Module | None, case: Case, change: Callable[[torch.Tensor], torch.Tensor]
) -> Iterator[Neighbour]:
    """Yield the results in the truth's dtypes, or nothing where the reference cannot run that way."""
    if model is None:
        return
    try:
        found = _run_whole(model, case, change)
    except (
        Exception
    ):  # a reference may fail in any way in a form that it was not written for, a larger one not fit
        return
    pairs = zip(found.tensors, case.results, strict=True)
    yield Neighbour([output.to(truth.dtype) for output, truth in pairs], found.plain)


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
