"""What a task is worth: is it deterministic, does its output move, could a constant or less precision pass?"""

from __future__ import annotations

import copy
import time
from typing import Any

import torch

from eval_app.engine.judge.cases import Case, CaseMaker
from eval_app.engine.judge.compare import Tolerance, compare
from eval_app.engine.judge.families import is_free
from eval_app.engine.judge.reference import flatten_output
from eval_app.engine.judge.verdicts import ReferenceFaultError, finding
from eval_app.engine.profiles import Profile
from eval_app.engine.shared.trees import unflatten

_BUDGET_S = 4.0


class Admission:
    """Questions to the reference alone, answered within a time budget."""

    def __init__(self, maker: CaseMaker, profile: Profile) -> None:
        """Nothing is asked yet."""
        self._maker = maker
        self._tolerance = Tolerance(profile.tolerance_fp32, profile.tolerance_half, profile.tolerance_fp64)
        self.answers: dict[str, Any] = {}

    def examine(self, first: Case) -> None:
        """Ask everything, the important first; what the budget leaves out is absent from the answers."""
        deadline = time.perf_counter() + _BUDGET_S
        other = self._maker.make()
        self.answers["output_moves"] = not self._agree(first, other)
        self.answers["mean_passes"] = self._mean_passes(first)
        self._check_repeats(first)
        for question in (self._ask_inputs, self._ask_weights, self._ask_precision):
            if time.perf_counter() > deadline:
                return
            question(first, other)

    def findings(self) -> list[dict[str, Any]]:
        """Labels for the report: what a pass of this task does not prove."""
        said = []
        if not self.answers.get("output_moves", True) or self.answers.get("mean_passes"):
            text = "the reference's output hardly moves with its inputs, or its mean alone passes: a pass proves little"
            said.append(finding("label", "degenerate_task", text))
        if self.answers.get("random"):
            said.append(
                finding("label", "random_reference", "the reference draws random numbers in its forward pass")
            )
        if self.answers.get("lower_precision_passes"):
            text = "the reference in bfloat16 passes the tolerance: a loss of precision would not be seen"
            said.append(finding("label", "precision_insensitive", text))
        return said

    def _agree(self, left: Case, right: Case) -> bool:
        if [s.shape for s in left.specs] != [s.shape for s in right.specs]:
            return False
        pairs = zip(left.truth, right.truth, strict=True)
        return not any(compare(a, b, self._tolerance).wrong for a, b in pairs)

    def _mean_passes(self, case: Case) -> bool:
        floats = [t for t in case.truth if t.is_floating_point() and t.numel() > 1]
        if not floats or len(floats) != len(case.truth):
            return False
        means = [torch.full_like(t, float(t.double().mean())) for t in floats]
        return not any(compare(m, t, self._tolerance).wrong for m, t in zip(means, floats, strict=True))

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
        """Exchange one input at a time for another draw of it: how many of them does the output follow?"""
        moved, asked = 0, 0
        for index, (mine, theirs) in enumerate(zip(first.tensors, other.tensors, strict=True)):
            if mine.shape != theirs.shape or not is_free(mine):
                continue
            asked += 1
            tensors = [theirs if i == index else tensor for i, tensor in enumerate(first.tensors)]
            moved += not self._agree(first, self._again(first, tensors, first.rng))
        self.answers |= {"inputs_asked": asked, "inputs_that_move": moved}

    def _ask_weights(self, first: Case, other: Case) -> None:
        """Scale one weight at a time by half: how many of them does the output follow?"""
        weights = [w for w in self._maker.reference.model.parameters() if w.is_floating_point()][:8]
        moved = 0
        for weight in weights:
            kept = weight.detach().clone()
            with torch.no_grad():
                weight.mul_(0.5).add_(0.1)
            moved += not self._agree(first, self._again(first, first.tensors, first.rng))
            with torch.no_grad():
                weight.copy_(kept)
        self.answers |= {"weights_asked": len(weights), "weights_that_move": moved}

    def _ask_precision(self, first: Case, other: Case) -> None:
        """Would bfloat16 pass? A task whose program cannot run so is not asked."""
        try:
            model = copy.deepcopy(self._maker.reference.model).to(torch.bfloat16)
            lowered = [t.bfloat16() if t.is_floating_point() else t.clone() for t in first.tensors]
            torch.manual_seed(first.rng)
            _, outputs = flatten_output(model(*unflatten(first.tree, lowered)))
        except Exception:  # any failure of the reference in a form that it was not written for
            return
        pairs = list(zip(outputs, first.truth, strict=False))
        same = all(got.shape == truth.shape for got, truth in pairs)
        fits = same and not any(compare(got.to(t.dtype), t, self._tolerance).wrong for got, t in pairs)
        self.answers["lower_precision_passes"] = bool(pairs) and fits
