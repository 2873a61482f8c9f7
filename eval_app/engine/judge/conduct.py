"""What a call did besides its output tensors: the state of its inputs, shared memory, plain values."""

from __future__ import annotations

import math
from typing import Any

from eval_app.engine.judge.cases import Case, each_has_same_bits, same_bits
from eval_app.engine.judge.compare import Difference, Tolerance, compare
from eval_app.engine.judge.session import CallResult
from eval_app.engine.judge.verdicts import RejectedError


def overwritten_input(case: Case, result: CallResult, tolerance: Tolerance) -> str:
    """Return what became of an input that is neither as it was nor as the reference leaves it; empty if there is none.

    A candidate may spare an input that the reference overwrites. Where the reference returns no tensor, these inputs
    are its results, and are compared as such.
    """
    present = [left.to(before.device) for left, before in zip(result.inputs, case.tensors, strict=True)]
    kept = each_has_same_bits(present, case.tensors)
    for number, (left, before, after) in enumerate(zip(present, case.tensors, case.after, strict=True)):
        if kept[number] or (after is not before and not case.truth):
            continue
        if after is before:
            return f"the call overwrites input {number}, which the reference leaves alone"
        if compare(left, after, tolerance).wrong:
            return f"the call overwrites input {number} with other values than the reference"
    return ""


def truth_aliases(case: Case) -> bool:
    """Return whether the truth could be an input passed through; then the candidate's output may be one too."""
    return any(
        t.shape == x.shape and t.dtype == x.dtype and same_bits(t, x) for t in case.truth for x in case.after
    )


def compare_plain(case: Case, plain: list[Any], total: Difference) -> None:
    """Compare outputs that are not tensors: equal, or close for floats."""
    expected = [(place, form) for place, form in case.wanted if "tensor" not in form]
    if len(plain) != len(expected):
        raise RejectedError(
            "wrong_structure", f"{len(plain)} plain values returned; {len(expected)} expected"
        )
    for got, (place, form) in zip(plain, expected, strict=True):
        total.total += 1
        if got != form and not _floats_close(got, form):
            total.wrong += 1
            total.mismatches.append(
                {"output": place, "index": [], "got": str(got)[:60], "expected": str(form)[:60]}
            )


def _floats_close(got: Any, form: Any) -> bool:
    try:
        left, right = float.fromhex(got["float"]), float.fromhex(form["float"])
    except (KeyError, TypeError, ValueError, OverflowError):
        return False
    return math.isfinite(left - right) and abs(left - right) <= 1e-4 + 1e-4 * abs(right)
