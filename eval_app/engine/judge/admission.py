"""Examination of a task: is it deterministic, does its output depend on its inputs, would a constant or lower
precision pass?"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from typing import Any

import torch

from eval_app.engine.judge.calls.conduct import floats_close
from eval_app.engine.judge.comparison.compare import Tolerance, compare, flat
from eval_app.engine.judge.last_bits.calibrate import shortened, shortened_model
from eval_app.engine.judge.last_bits.neighbours import is_number
from eval_app.engine.judge.task import operator_calls
from eval_app.engine.judge.task.cases import Case, CaseMaker
from eval_app.engine.judge.task.reference import flatten_output, require_context
from eval_app.engine.judge.values.families import Domain
from eval_app.engine.judge.values.reductions import filled, mean
from eval_app.engine.judge.values.structure import is_free
from eval_app.engine.judge.verdicts import ReferenceFaultError, finding, says_no_memory
from eval_app.engine.shared.seeding import set_seed, state
from eval_app.engine.shared.trees import unflatten

_BUDGET_S = 4.0
# Inputs and weights that are asked about, each by a call: of more, some.
_INPUTS, _WEIGHTS = 32, 8
_LITTLE = 0.01


class Admission:
    """Questions about the reference alone, answered within a time budget."""

    def __init__(self, maker: CaseMaker, tolerance: Tolerance, answers: dict[str, Any] | None = None) -> None:
        """Store the earlier `answers`; `tolerance` is the one for candidates on the task's own values."""
        self._maker = maker
        self._tolerance = tolerance
        self.answers: dict[str, Any] = dict(answers or {})

    def examine(self, first: Case) -> None:
        """Answer all questions, the important ones first; one beyond the budget, or for which there is no memory, makes
        the answers `incomplete`."""
        deadline = time.perf_counter() + _BUDGET_S
        other = self._maker.make()
        self.answers["output_moves"] = not self._agree(first, other)
        self._ask_constants(first, other)
        self.answers |= output_spread(first.truth)
        self._check_repeats(first)
        self.answers |= operator_calls.count(self._maker.reference, first)
        for question in (self._ask_inputs, self._ask_weights, self._ask_precision, self._ask_half):
            if time.perf_counter() > deadline:
                self.answers["incomplete"] = True
                return
            question(first, other)

    def findings(self) -> list[dict[str, Any]]:
        """Return labels for the report: what passing this task does not prove."""
        findings = []
        weak = self._weaknesses()
        if weak:
            text = f"{'; '.join(weak)}: a pass proves little"
            findings.append(finding("label", "degenerate_task", text))
        if self.answers.get("random"):
            findings.append(
                finding("label", "random_reference", "the reference draws random numbers in its forward pass")
            )
        if self.answers.get("lower_precision_passes"):
            text = (
                "the reference on operands of the next lower precision passes the tolerance: a loss of precision "
                "would not be noticed"
            )
            findings.append(finding("label", "precision_insensitive", text))
        return findings

    def _weaknesses(self) -> list[str]:
        texts = {
            "mean_passes": "the mean of the reference's output passes in its place",
            "constant_passes": "a constant known in advance passes",
            "zeros_pass": "zeros pass",
        }
        weak = [text for answer, text in texts.items() if self.answers.get(answer)]
        if self.answers.get("zeros_pass_in"):
            weak.append(f"zeros pass in {self.answers['zeros_pass_in']}")
        if not self.answers.get("output_moves", True):
            weak.insert(0, "the reference's output hardly depends on its inputs")
        return weak

    def _agrees_with(self, first: Case, tensors: list[torch.Tensor]) -> bool:
        """Return whether the reference gives the same on `tensors`. It may reject what does not belong together, such
        as values and a checksum of others: then it depends on what was changed."""
        try:
            return self._agree(first, self._again(first, tensors, first.rng))
        except ReferenceFaultError:
            return False

    def _agree(self, left: Case, right: Case) -> bool:
        if [t.shape for t in left.results] != [t.shape for t in right.results]:
            return False
        pairs = zip(left.results, right.results, strict=True)
        return not any(compare(a, b, self._tolerance).wrong for a, b in pairs)

    def _ask_constants(self, first: Case, other: Case) -> None:
        """Test whether one value per output passes: its own mean, another call's mean, zero."""
        places = [place for place, form in first.wanted if "tensor" in form]
        named = [(place, t) for place, t in zip(places, first.truth, strict=True) if t.numel()]
        zeros = [place for place, truth in named if self._constants_pass([truth], [0.0])]
        numbers = [(place, form) for place, form in first.wanted if "float" in form or "int" in form]
        zeros += [place for place, form in numbers if _is_zero(form)]
        if 0 < len(zeros) < len(places) + len(numbers) or (zeros and not places):
            self.answers["zeros_pass_in"] = ", ".join(zeros)[:400]
        if first.truth:
            self.answers["zeros_pass"] = self._constants_pass(first.truth, [0.0] * len(first.truth))
        floats = [t for t in first.truth if is_number(t)]
        if not floats or len(floats) != len(first.truth):
            return
        theirs = [t for t in other.truth if is_number(t)]
        # The mean of a single value is the value itself.
        single = all(t.numel() < 2 for t in floats)
        self.answers["mean_passes"] = not single and self._constants_pass(
            floats, [mean(flat(t)) for t in floats]
        )
        self.answers["constant_passes"] = len(theirs) == len(floats) and self._constants_pass(
            floats, [mean(flat(t)) for t in theirs]
        )

    def _constants_pass(self, truths: list[torch.Tensor], constants: list[float]) -> bool:
        pairs = zip(map(flat, truths), constants, strict=True)
        return not any(compare(filled(t, c), t, self._tolerance).wrong for t, c in pairs)

    def _check_repeats(self, case: Case) -> None:
        """Require the same output for the same inputs and generator; with another generator it may differ."""
        if not self._agree(case, self._again(case, case.tensors, case.rng)):
            raise ReferenceFaultError(
                "the reference gives different outputs for the same inputs, so there is no ground truth"
            )
        self.answers["deterministic"] = True
        self.answers["random"] = _has_drawn(case.rng) or not self._agree(
            case, self._again(case, case.tensors, case.rng ^ 0x5555)
        )

    def _again(self, case: Case, tensors: list[torch.Tensor], rng: int) -> Case:
        return self._maker.from_inputs("admission", unflatten(case.tree, tensors), rng)

    def _ask_inputs(self, first: Case, other: Case) -> None:
        """Replace one input at a time by another draw and record those that the output ignores."""
        pairs = enumerate(
            zip(first.tensors, other.tensors, strict=False)
        )  # a task may draw another number of them
        free = [(i, theirs) for i, (mine, theirs) in pairs if mine.shape == theirs.shape and is_free(mine)]
        sample, unused = free[:: -(-len(free) // _INPUTS) or 1], []
        for index, theirs in sample:
            tensors = [theirs if i == index else tensor for i, tensor in enumerate(first.tensors)]
            if self._agrees_with(first, tensors):
                unused.append(str(index))
        self.answers |= {"inputs_asked": len(sample), "inputs_that_move": len(sample) - len(unused)}
        self.answers |= {"inputs_that_do_not_move": ", ".join(unused)[:400]} if unused else {}

    def _ask_weights(self, first: Case, other: Case) -> None:
        """Change one weight at a time and record those that the output ignores."""
        weights = self._maker.reference.model.named_parameters()
        named = [(n, w) for n, w in weights if is_number(w) and w.dtype.itemsize > 1]
        sample, unused = named[:: max(1, len(named) // _WEIGHTS)][:_WEIGHTS], []
        for name, weight in sample:
            original = weight.detach().clone()
            with torch.inference_mode():  # the reference may have made it in that mode
                weight.mul_(0.5).add_(0.1)
            if self._agrees_with(first, first.tensors):
                unused.append(name)
            with torch.inference_mode():
                weight.copy_(original)
        self.answers |= {"weights_asked": len(sample), "weights_that_move": len(sample) - len(unused)}
        self.answers |= {"weights_that_do_not_move": ", ".join(unused)[:400]} if unused else {}

    def _ask_precision(self, first: Case, other: Case) -> None:
        """Test operands of the next lower precision: TF32 for fp32, 3 mantissa bits for half, fp32 for fp64."""
        self._ask_model("lower_precision_passes", first, shortened_model, shortened)

    def _ask_half(self, first: Case, other: Case) -> None:
        """Test the whole program in bfloat16."""
        self._ask_model(
            "half_passes", first, lambda model: copy.deepcopy(model).to(torch.bfloat16), _in_bfloat16
        )

    def _ask_model(
        self,
        answer: str,
        case: Case,
        change_model: Callable[[Any], Any],
        change: Callable[[torch.Tensor], Any],
    ) -> None:
        """Test a changed model on changed inputs; if the program cannot run that way, there is no answer."""
        if self._maker.reference.domain is Domain.OWN:  # which lower precisions leave
            return
        try:
            model = change_model(self._maker.reference.model)
            lowered = [change(t) if is_number(t) else t.clone() for t in case.tensors]
            set_seed(case.rng)
            _, outputs = flatten_output(model(*unflatten(case.tree, lowered)))
            del lowered, model  # of a large task they are a good part of the device
        except Exception as error:  # the reference may fail in any way in a form that it was not written for
            require_context(error)
            if says_no_memory(
                f"{type(error).__name__}: {error}"
            ):  # a candidate may hold it: other jobs ask again
                self.answers["incomplete"] = True
            return
        pairs = list(zip(outputs, case.truth, strict=False))
        same = len(outputs) == len(case.truth) and all(got.shape == truth.shape for got, truth in pairs)
        fits = same and not any(compare(got.to(t.dtype), t, self._tolerance).wrong for got, t in pairs)
        self.answers[answer] = bool(pairs) and fits


def _has_drawn(seed: int) -> bool:
    """Return whether random numbers were drawn since they were last seeded, which was with `seed`. They may seldom
    matter, as where a layer is left out in one call of twenty."""
    before = state()
    set_seed(seed)
    return state() != before


def _is_zero(form: dict[str, Any]) -> bool:
    """Return whether zero passes for a plain number in its JSON form."""
    return form == {"int": "0"} or floats_close({"float": (0.0).hex()}, form)


def _in_bfloat16(x: torch.Tensor) -> torch.Tensor:
    """Return a copy in bfloat16, which has no complex form."""
    return x.clone() if x.is_complex() else x.bfloat16()


def output_spread(truths: list[torch.Tensor]) -> dict[str, bool]:
    """Return robust-kbench's three filters on outputs (arXiv:2509.14279), each True where the task does not pass it.

    `output_range`: all values are within 0.01 of zero. `output_std`: they vary by less than 0.01. `output_axes`: they
    do along one axis, at every place of the others. A single value varies along nothing.
    """
    floats = [t.float() for t in truths if t.is_floating_point() and t.numel()]
    if not floats or len(floats) != len(truths):
        return {}
    several = [t for t in floats if t.numel() > 1]
    return {
        "output_range": all(bool((t.abs() <= _LITTLE).all()) for t in floats),
        "output_std": bool(several) and all(bool(t.std() < _LITTLE) for t in several),
        "output_axes": any(
            bool((t.std(dim=axis) < _LITTLE).all())
            for t in several
            for axis in range(t.dim())
            if t.shape[axis] > 1
        ),
    }
