"""What a call did besides its output tensors: the state of its inputs, shared memory, plain values."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from eval_app.engine.contract.evidence import MAX_PLACE_CHARS
from eval_app.engine.judge.cases import Case, each_has_same_bits, same_bits
from eval_app.engine.judge.compare import Difference
from eval_app.engine.judge.record import Compared
from eval_app.engine.judge.session import CallResult
from eval_app.engine.judge.verdicts import RejectedError


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
    total.total += len(plain)
    pairs = [(got, form) for got, (_, form) in zip(plain, expected, strict=True)]
    wrong = {n: got for n, (got, form) in enumerate(pairs) if got != form and not floats_close(got, form)}
    forgiven = explained(case, wrong) if wrong else []
    total.forgiven += len(forgiven)
    total.wrong += len(wrong) - len(forgiven)
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


def floats_close(got: Any, form: Any) -> bool:
    """Return whether two plain numbers in their JSON form are close; a candidate may have made up the first."""
    try:
        left, right = float.fromhex(got["float"]), float.fromhex(form["float"])
    except (KeyError, TypeError, ValueError, OverflowError):
        return False
    return math.isfinite(left - right) and abs(left - right) <= 1e-4 + 1e-4 * abs(right)
