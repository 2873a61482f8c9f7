"""What a call did besides its output tensors: the state of its inputs, shared memory, plain values."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from eval_app.engine.contract.evidence import MAX_PLACE_CHARS
from eval_app.engine.judge.calls.record import Compared
from eval_app.engine.judge.calls.session import CallResult
from eval_app.engine.judge.comparison.compare import Difference
from eval_app.engine.judge.task.cases import Case, each_has_same_bits, same_bits
from eval_app.engine.judge.verdicts import RejectedError

# Relative tolerances of plain numbers, and beyond how many times that of their own size they are far off: see
# compare.py. The last is `Tolerance.hidden` of numbers up to one.
_SINGLE, _HALF, _FAR = 1e-4, 1e-2, 10
_HIDDEN = 1 / 101


@dataclass(frozen=True)
class Results:
    """What one call gave: copies of its tensors, and its plain values in their JSON form."""

    tensors: list[torch.Tensor]
    plain: list[Any]

    @classmethod
    def of(cls, case: Case, result: CallResult) -> Results:
        """Return the results of a call, as `Case.results` are the reference's."""
        return cls([tensor.clone() for tensor in given_in(case, result)], list(result.reply.plain))

    def same(self, other: Results) -> bool:
        """Return whether another call on the same values gave the same bits."""
        pairs = zip(self.tensors, other.tensors, strict=True)
        return self.plain == other.plain and all(same_bits(a, b) for a, b in pairs)


def given_in(case: Case, result: CallResult) -> list[torch.Tensor]:
    """Return the tensors that a call computed, where they lie, as `Case.results` is what the reference did."""
    return result.outputs if case.truth else [result.inputs[number] for number in case.overwritten]


def overwritten_input(
    case: Case, result: CallResult, reviewed: Callable[[Case, list[torch.Tensor]], Compared]
) -> str:
    """Return what became of an input that is neither as it was nor as the reference leaves it; empty if there is none.

    A candidate may spare an input that the reference overwrites; `reviewed` compares those that it does not spare.
    Where the reference returns no tensor, these inputs are its results, and are compared as such.
    """
    if case.keeps_arguments and not result.reply.keeps_arguments:
        return "the call changes the shape of a tensor, or the items of a list or dict, that it is given"
    present = [left.to(before.device) for left, before in zip(result.inputs, case.tensors, strict=True)]
    kept = each_has_same_bits(present, case.tensors)
    for number, (before, after) in enumerate(zip(case.tensors, case.after, strict=True)):
        if after is before and not kept[number]:
            return f"the call overwrites input {number}, which the reference leaves alone"
    if not case.truth or all(kept[number] for number in case.overwritten):
        return ""
    left = [case.after[number] if kept[number] else present[number] for number in case.overwritten]
    for place, _, _, difference in reviewed(case.of_inputs(), left).outputs:
        if difference.wrong:
            return f"the call overwrites {place} with other values than the reference"
    return ""


def compare_plain(
    case: Case, plain: list[Any], total: Difference, explained: Callable[[Case, dict[int, Any]], list[int]]
) -> None:
    """Compare outputs that are not tensors: equal, close for floats, or `explained` by last bits."""
    expected = [(place, form) for place, form in case.wanted if "tensor" not in form]
    if len(plain) != len(expected):
        raise RejectedError(
            "wrong_structure", f"{len(plain)} plain values returned; {len(expected)} expected"
        )
    pairs = [(got, form) for got, (_, form) in zip(plain, expected, strict=True)]
    rtol = _HALF if any(map(_is_half, case.tensors)) else _SINGLE
    wrong = {
        n: got for n, (got, form) in enumerate(pairs) if got != form and not floats_close(got, form, rtol)
    }
    forgiven = explained(case, wrong) if wrong else []
    left = [pairs[number] for number in wrong.keys() - set(forgiven)]
    if plain:
        found = plain_difference(left, len(plain))
        total.outputs.append(found)
        total.add(found)
    total.forgiven += len(forgiven)
    for number in wrong.keys() - set(forgiven):
        place, form = expected[number]
        total.mismatches.append(
            {
                "output": place[:MAX_PLACE_CHARS],
                "index": [],
                "got": str(wrong[number])[:60],
                "expected": str(form)[:60],
            }
        )


def plain_difference(wrong: Sequence[tuple[Any, Any]], count: int) -> Difference:
    """Return the difference of `count` plain values of which these, each with the one wanted, are wrong."""
    gaps = [abs(_number(got) - _number(form)) for got, form in wrong]
    furthest = max([0.0, *(gap if math.isfinite(gap) else math.inf for gap in gaps)])
    return Difference(wrong=len(wrong), total=count, furthest=furthest)


def plain_moves(case: Case, again: Case) -> Difference:
    """Return how the plain values of another run of the reference differ from those of a case."""
    pairs = list(zip(again.plain, case.plain, strict=False))
    moved = [(got, form) for got, form in pairs if got != form and not floats_close(got, form)]
    return plain_difference(moved, len(pairs))


def floats_close(got: Any, form: Any, rtol: float = _SINGLE) -> bool:
    """Return whether two plain numbers in their JSON form are close, also for their own size where `rtol` is the
    tolerance of tensors, as elements of these are to be; a candidate may have made up the first."""
    if "float" not in form or not (isinstance(got, dict) and "float" in got):
        return False
    gap, size = abs(_number(got) - _number(form)), abs(_number(form))
    bound = min(_SINGLE + _SINGLE * size, _FAR * rtol * size + rtol * _HIDDEN)
    return math.isfinite(gap) and gap <= bound


def _number(form: Any) -> float:
    """Return a plain value's form as a number; NaN for another value, or a form that holds none."""
    try:
        return float.fromhex(form["float"]) if "float" in form else float(int(form["int"]))
    except (KeyError, TypeError, ValueError, OverflowError):
        return math.nan


def _is_half(tensor: torch.Tensor) -> bool:
    return tensor.is_floating_point() and tensor.dtype.itemsize <= 2
