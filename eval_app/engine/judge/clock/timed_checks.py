"""Checks of the calls that are timed and leave only their results, and of those with other values among them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from eval_app.engine.judge.calls.conduct import Results
from eval_app.engine.judge.calls.diagnosis import wrong_before
from eval_app.engine.judge.checks.trials import Trials
from eval_app.engine.judge.clock.order_draw import Draw, DrawnCall
from eval_app.engine.judge.clock.order_line import Window
from eval_app.engine.judge.clock.result_layouts import has_overlaps
from eval_app.engine.judge.comparison.compare import Difference, Tolerance, compare
from eval_app.engine.judge.comparison.quick_compare import agree
from eval_app.engine.judge.task.cases import Case, each_has_same_bits
from eval_app.engine.judge.verdicts import RejectedError, UnprovenError, UnreadableError, UnreviewedError
from eval_app.engine.shared.trees import TensorSpec, unflatten

# All of them must be right before the order is said to have had less work: a program that chooses at random between two
# methods is right now and then.
_SEPARATE_CALLS = 5


def check_family(trials: Trials, case: Case) -> None:
    """Check a call on values of a family, among single calls that are timed. Raises RejectedError if it is wrong."""
    found, wrong = trials.another_call(case) if case.finite() else (Difference(), None)
    if wrong is None or trials.unsteady(case, found):
        return
    try:
        result = trials.check(case)
    except UnprovenError:
        return
    raise wrong_before(case, found, is_same=wrong.same(Results.of(case, result)))


def check_order(trials: Trials, drawn: Draw, window: Window) -> None:
    """Compare all results of an order with the truth, and its inputs with what they were.

    Raises RejectedError for a difference, UnreadableError for results of which an order shows a part only, or nothing,
    and UnreviewedError for want of time: both leave the time alone unconfirmed, and excuse no overwritten input.
    """
    try:
        _check_results(trials, drawn, window)
    except (UnreadableError, UnreviewedError):
        _check_inputs(trials, drawn)
        raise
    _check_inputs(trials, drawn)


def _check_results(trials: Trials, drawn: Draw, window: Window) -> None:
    if window.unreadable:
        raise UnreadableError(window.unreadable)
    _require_tensors(trials, drawn)
    tolerances = [trials.tolerance(own=call.family == "natural") for call in drawn.calls]
    triples = [
        (result, truth, tolerance)
        for call, outputs, tolerance in zip(drawn.calls, window.results, tolerances, strict=True)
        for result, truth in zip(outputs, call.truth, strict=True)
    ]
    _note_layout(trials, triples)
    _note_repeats(trials, window.specs)
    flags = iter(agree(*map(list, zip(*triples, strict=True)))) if triples else iter(())  # type: ignore[arg-type]
    for number, outputs in enumerate(window.results):
        agreed = [next(flags) for _ in outputs]
        trials.record.compared += 1
        if not all(agreed):
            check_ordered(trials, drawn, number, outputs)


def _require_tensors(trials: Trials, drawn: Draw) -> None:
    """Raise UnreadableError if the task returns numbers, or tensors of sizes, that depend on its values: orders pass on
    tensors alone, and come with the places for them, so that a candidate need not compute either."""
    first = trials.first
    if first is None:
        return
    if any(_plain(call.wanted) != _plain(first.wanted) for call in drawn.calls):
        raise UnreadableError("the task returns numbers, which orders do not pass on")
    taken = [tensor.shape for tensor in first.tensors]
    alike = [call for call in drawn.calls if [slot.spec.shape for slot in call.slots] == taken]
    sizes = [truth.shape for truth in first.truth]
    if any([truth.shape for truth in call.truth] != sizes for call in alike):
        raise UnreadableError(
            "their sizes depend on values, and the candidate is told them with their places"
        )


def _plain(wanted: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    return [(place, form) for place, form in wanted if "tensor" not in form]


def _check_inputs(trials: Trials, drawn: Draw) -> None:
    """Raise RejectedError if the calls of an order, unlike single ones, overwrite what the reference leaves alone."""
    place, expected = trials.session.arena.bytes_at(0, drawn.values.numel()), drawn.values
    if (
        trials.first and trials.first.overwritten
    ):  # perhaps others too on these values: the bytes beside are left
        expected = expected.clone()
        for call in drawn.calls:
            for before, now in zip(drawn.views(call, expected), drawn.views(call, place), strict=True):
                before.copy_(now)
    if torch.equal(place, expected):
        return
    pairs = ((drawn.views(call, place), drawn.views(call, expected)) for call in drawn.calls)
    if not all(flag for now, before in pairs for flag in each_has_same_bits(now, before)):
        text = "consecutive calls overwrite inputs, which the reference and single calls leave alone"
        raise RejectedError("broken_promise", text, [("input_mutated", text)])
    text = "bytes beside the inputs of consecutive calls were overwritten"
    raise RejectedError("illegal_memory", text, [("out_of_bounds_write", text)])


def _note_layout(trials: Trials, triples: list[tuple[torch.Tensor, torch.Tensor, Tolerance]]) -> None:
    """Say where a result lies otherwise than the reference's: what reads it next may pay for that, unseen here."""
    for got, truth, _ in triples:
        pairs = zip(got.shape, got.stride(), truth.stride(), strict=True)
        if any(size > 1 and own != wanted for size, own, wanted in pairs):
            text = f"an output of shape {tuple(got.shape)} has strides {got.stride()}"
            trials.note("label", "output_layout", f"{text}; the reference's has {truth.stride()}")
            return


def _note_repeats(trials: Trials, specs: Sequence[TensorSpec]) -> None:
    """Say where elements of a result share memory: nobody can write into it."""
    for spec in specs:
        if has_overlaps(spec):
            text = f"an output of shape {tuple(spec.shape)} has strides {tuple(spec.stride)}: elements share memory"
            trials.note("label", "output_layout", text)
            return


def check_ordered(trials: Trials, drawn: Draw, number: int, results: list[torch.Tensor]) -> None:
    """Compare one call of an order. Raises RejectedError if it is wrong.

    A candidate that is also wrong on the same values in a separate call is not precise enough; one that is correct
    there did less work in the order. Values where the reference itself depends on last bits prove nothing.
    """
    call = drawn.calls[number]
    tolerance = trials.tolerance(own=call.family == "natural")
    found = [compare(got, truth, tolerance) for got, truth in zip(results, call.truth, strict=True)]
    if not any(difference.wrong or difference.uneven for difference in found):
        return
    inputs = unflatten(call.tree, [value.clone() for value in drawn.views(call)])
    case = trials.maker.from_inputs(call.family, inputs, call.seed or 0)
    case.own = call.family == "natural"
    if not (case.own or case.finite()):  # another draw of the family was, in its trial
        return
    total = trials.reviewed(case, results).total
    if not total.wrong or trials.unsteady(case, total):
        return
    trials.record.worst.add(total)
    text = f"{total.wrong} of {total.total} elements differ in one of several consecutive calls"
    trials.maker.confirm(case, tolerance)
    if any(trials.difference_only(case) for _ in range(_SEPARATE_CALLS)):
        raise RejectedError("wrong_value", f"{text}, and in a separate call")
    if any(_are_right(results, later, tolerance) for later in drawn.calls[number + 1 :]):
        text = (
            "the result of one of several consecutive calls became that of a later one: its memory is reused"
        )
        raise RejectedError("broken_promise", text, [("output_reused", text)])
    text += "; in a separate call the same values gave correct ones"
    raise RejectedError("cheated", text, [("wrong_later", text)])


def _are_right(results: list[torch.Tensor], call: DrawnCall, tolerance: Tolerance) -> bool:
    """Return whether the results are those of `call`: an earlier call cannot know its values, so it overwrote them."""
    pairs = list(zip(results, call.truth, strict=True))
    same = all((got.shape, got.dtype) == (truth.shape, truth.dtype) for got, truth in pairs)
    return same and not any(compare(got, truth, tolerance).wrong for got, truth in pairs)
