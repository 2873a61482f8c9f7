"""What a task is worth: is it deterministic, does its output move, could a constant or less precision pass?"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from typing import Any

import torch

from eval_app.engine.judge.calibrate import shortened, shortened_model
from eval_app.engine.judge.cases import Case, CaseMaker
from eval_app.engine.judge.compare import Tolerance, compare
from eval_app.engine.judge.families import is_free
from eval_app.engine.judge.reference import flatten_output
from eval_app.engine.judge.verdicts import ReferenceFaultError, finding
from eval_app.engine.shared.trees import unflatten

_BUDGET_S = 4.0
_WEIGHTS = 8


class Admission:
    """Questions to the reference alone, answered within a time budget."""

    def __init__(self, maker: CaseMaker, tolerance: Tolerance, answers: dict[str, Any] | None = None) -> None:
        """`tolerance` is what candidates are held against on the task's own values; `answers` are known already."""
        self._maker = maker
        self._tolerance = tolerance
        self.answers: dict[str, Any] = dict(answers or {})

    def examine(self, first: Case) -> None:
        """Ask everything, the important first; what the budget leaves out is absent from the answers."""
        deadline = time.perf_counter() + _BUDGET_S
        other = self._maker.make()
        self.answers["output_moves"] = not self._agree(first, other)
        self._ask_constants(first, other)
        self._check_repeats(first)
        for question in (self._ask_inputs, self._ask_weights, self._ask_precision, self._ask_half):
            if time.perf_counter() > deadline:
                return
            question(first, other)

    def findings(self) -> list[dict[str, Any]]:
        """Labels for the report: what a pass of this task does not prove."""
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
                "would not be seen"
            )
            findings.append(finding("label", "precision_insensitive", text))
        return findings

    def _weaknesses(self) -> list[str]:
        texts = {
            "mean_passes": "the mean of the reference's output passes for it",
            "constant_passes": "a constant that is known beforehand passes",
            "zeros_pass": "zeros pass",
        }
        weak = [text for answer, text in texts.items() if self.answers.get(answer)]
        if not self.answers.get("output_moves", True):
            weak.insert(0, "the reference's output hardly moves with its inputs")
        return weak

    def _agree(self, left: Case, right: Case) -> bool:
        if [s.shape for s in left.specs] != [s.shape for s in right.specs]:
            return False
        pairs = zip(left.truth, right.truth, strict=True)
        return not any(compare(a, b, self._tolerance).wrong for a, b in pairs)

    def _ask_constants(self, first: Case, other: Case) -> None:
        """Does one value for a whole output pass: its own mean, the mean of another call's, zero?"""
        floats = [t for t in first.truth if t.is_floating_point()]
        if not floats or len(floats) != len(first.truth):
            return
        theirs = [t for t in other.truth if t.is_floating_point()]
        # Of a single value the mean is the value itself.
        single = all(t.numel() < 2 for t in floats)
        self.answers["mean_passes"] = not single and self._constants_pass(floats, [_mean(t) for t in floats])
        self.answers["constant_passes"] = self._constants_pass(floats, [_mean(t) for t in theirs])
        self.answers["zeros_pass"] = self._constants_pass(floats, [0.0] * len(floats))

    def _constants_pass(self, truths: list[torch.Tensor], constants: list[float]) -> bool:
        pairs = zip(truths, constants, strict=True)
        return not any(compare(torch.full_like(t, c), t, self._tolerance).wrong for t, c in pairs)

    def _check_repeats(self, case: Case) -> None:
        """The same inputs under the same generator must give the same output; under another they may not."""
        again = self._again(case, case.tensors, case.rng)
        if not self._agree(case, again):
            raise ReferenceFaultError(
                "the reference gives different outputs for the same inputs: it is no truth"
            )
        self.answers["deterministic"] = True
        self.answers["random"] = not self._agree(case, self._again(case, case.tensors, case.rng ^ 0x5555))

    def _again(self, case: Case, tensors: list[torch.Tensor], rng: int) -> Case:
        inputs = unflatten(case.tree, [tensor.clone() for tensor in tensors])
        return self._maker.from_inputs("admission", inputs, rng)

    def _ask_inputs(self, first: Case, other: Case) -> None:
        """Exchange one input at a time for another draw of it: which of them does the output not follow?"""
        count, unused = 0, []
        for index, (mine, theirs) in enumerate(zip(first.tensors, other.tensors, strict=True)):
            if mine.shape != theirs.shape or not is_free(mine):
                continue
            count += 1
            tensors = [theirs if i == index else tensor for i, tensor in enumerate(first.tensors)]
            if self._agree(first, self._again(first, tensors, first.rng)):
                unused.append(str(index))
        self.answers |= {"inputs_asked": count, "inputs_that_move": count - len(unused)}
        self.answers |= {"inputs_that_do_not_move": ", ".join(unused)[:400]} if unused else {}

    def _ask_weights(self, first: Case, other: Case) -> None:
        """Scale one weight at a time by half: which of them does the output not follow?"""
        named = [(n, w) for n, w in self._maker.reference.model.named_parameters() if w.is_floating_point()]
        sample, unused = named[:: max(1, len(named) // _WEIGHTS)][:_WEIGHTS], []
        for name, weight in sample:
            original = weight.detach().clone()
            with torch.no_grad():
                weight.mul_(0.5).add_(0.1)
            if self._agree(first, self._again(first, first.tensors, first.rng)):
                unused.append(name)
            with torch.no_grad():
                weight.copy_(original)
        self.answers |= {"weights_asked": len(sample), "weights_that_move": len(sample) - len(unused)}
        self.answers |= {"weights_that_do_not_move": ", ".join(unused)[:400]} if unused else {}

    def _ask_precision(self, first: Case, other: Case) -> None:
        """Would operands of the next lower precision pass: TF32 for fp32, 3 bits for half, fp32 for fp64?"""
        self._ask_model("lower_precision_passes", first, shortened_model, shortened)

    def _ask_half(self, first: Case, other: Case) -> None:
        """Would the whole program in bfloat16 pass?"""
        self._ask_model(
            "half_passes", first, lambda model: copy.deepcopy(model).to(torch.bfloat16), torch.Tensor.bfloat16
        )

    def _ask_model(
        self,
        answer: str,
        case: Case,
        change_model: Callable[[Any], Any],
        change: Callable[[torch.Tensor], Any],
    ) -> None:
        """A task whose program cannot run so is not asked."""
        try:
            model = change_model(self._maker.reference.model)
            lowered = [change(t) if t.is_floating_point() else t.clone() for t in case.tensors]
            torch.manual_seed(case.rng)
            _, outputs = flatten_output(model(*unflatten(case.tree, lowered)))
        except Exception:  # any failure of the reference in a form that it was not written for
            return
        pairs = list(zip(outputs, case.truth, strict=False))
        same = len(outputs) == len(case.truth) and all(got.shape == truth.shape for got, truth in pairs)
        fits = same and not any(compare(got.to(t.dtype), t, self._tolerance).wrong for got, t in pairs)
        self.answers[answer] = bool(pairs) and fits


def _mean(tensor: torch.Tensor) -> float:
    return float(tensor.double().mean()) if tensor.numel() else 0.0
