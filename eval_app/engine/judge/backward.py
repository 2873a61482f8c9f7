"""The backward pass: gradients of inputs and parameters under random upstream gradients, compared with the
reference's."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import torch

from eval_app.engine.contract.evidence import MAX_PLACE_CHARS
from eval_app.engine.contract.profiles import Profile
from eval_app.engine.judge.cases import Case, CaseMaker
from eval_app.engine.judge.compare import Difference, Tolerance, compare, flat
from eval_app.engine.judge.explained import MOST_RUNS, Moves, joined
from eval_app.engine.judge.gradient_call import Answer, ask
from eval_app.engine.judge.honest_error import HonestError
from eval_app.engine.judge.neighbours import without_choice
from eval_app.engine.judge.record import finite
from eval_app.engine.judge.reductions import rms
from eval_app.engine.judge.reference_gradients import Differentiator, Gradients, NotDifferentiableError
from eval_app.engine.judge.session import Session
from eval_app.engine.judge.trials import Trials
from eval_app.engine.judge.upstream import Layout, one_row, one_value, transposed
from eval_app.engine.judge.verdicts import RejectedError

# Smaller gradients are compared against this size: an exact zero on one side may be a rounding error on the
# other.
_LEAST_SIZE = 1e-3
# Where all are smaller, as those of a mean over many elements, the tolerance is this many times the reference's own
# error, or that of a thousandth of their size if it is larger.
_ERRORS = 1000
# Families without equal values, of which a maximum may take any.
_FAMILIES = {"uniform", "scaled_up", "scaled_down", "sorted", "mixed", "alternating", "spikes", "stretched"}

# Of the trials on the task's own values in turn: layouts of the upstream gradient, of which the first that suits the
# reference is taken, or else a dense one, as families have it.
_LAYOUTS: tuple[tuple[Layout, ...], ...] = ((transposed,), (one_value, one_row), ())
# Gradients that are this much smaller than under a dense upstream gradient are what rounding leaves: those of a softmax
# under ones are zeros.
_VANISHED = 1e-2
_NEEDS_CONTIGUOUS = (
    "gradients are right where the upstream gradient is contiguous, and not where it is a transposed or expanded view, "
    "as after y.t() or y.sum(): call .contiguous() on it first"
)


class BackwardTrials:
    """Compares a candidate's gradients with the reference's."""

    def __init__(self, session: Session, maker: CaseMaker, trials: Trials, profile: Profile) -> None:
        """Prepare the tolerances; the forward pass must have passed."""
        self._session, self._maker, self._trials, self._profile = session, maker, trials, profile
        self._tolerance = Tolerance(
            profile.gradient_fp32, profile.gradient_half, profile.gradient_fp64,
            least_size=_LEAST_SIZE, fixed_hidden=_LEAST_SIZE,
        )  # fmt: skip
        self._differentiator = Differentiator(maker.reference.model, weights=trials.weights == "state_dict")
        self._worst, self._count = Difference(), 0

    def run(self) -> None:
        """Run all trials: the task's own values, then families. Raises RejectedError at the first wrong gradient."""
        detail = ""
        self._note_unnamed_weights()
        try:
            for number in range(self._profile.backward_trials):
                self._try(self._maker.make(), _LAYOUTS[number % len(_LAYOUTS)])
            for name in self._trials.families:
                if name in _FAMILIES:
                    self._try(self._maker.make_or_own(name))
            self._try_with_a_call_between()
        except NotDifferentiableError as error:
            detail = str(error)[:1000]
        finally:
            self._trials.record.backward = {
                "gradients": self._count, "max_abs": finite(self._worst.max_abs),
                "max_rel": finite(self._worst.max_rel), "detail": detail or self._note(),
            }  # fmt: skip

    def _note(self) -> str:
        if self._trials.weights != "seeded":
            return ""
        return "gradients of the inputs only: the candidate's parameter names differ from the reference's"

    def _note_unnamed_weights(self) -> None:
        """Say that nobody looks at the gradients of weights that have other names than the reference's."""
        weights = self._maker.reference.model.named_parameters()
        names = ", ".join(name for name, weight in weights if weight.requires_grad)
        if names and self._trials.weights == "seeded":
            text = f"gradients of {names[:200]} are not compared: the candidate has no weights of these names"
            self._trials.note("audit", "weight_gradients_unchecked", text)

    def _try(self, case: Case, layouts: tuple[Layout, ...] = ()) -> None:
        truth = self._truth(case, layouts)
        try:
            self._check(case, truth)
        except RejectedError as error:
            same = all(u.is_contiguous() and u.shape == o.shape for u, o in _given(truth, case))
            if same or error.outcome not in ("wrong_value", "runtime_error"):
                raise
            self._check(case, truth.contiguous(case.truth))
            raise RejectedError(error.outcome, f"{_NEEDS_CONTIGUOUS}; {error.detail}") from None

    def _truth(self, case: Case, layouts: tuple[Layout, ...]) -> Gradients:
        """Return the reference's gradients under the first of the layouts that it takes and that leaves all of them as
        large as a dense upstream gradient does; under such a one if there is none."""
        truth = self._differentiator.gradients(case)
        sizes = [rms(flat(gradient)) for gradient in truth.tensors]
        for layout in layouts:
            with suppress(NotDifferentiableError):
                found = self._differentiator.gradients(case, layout)
                pairs = zip(found.tensors, sizes, strict=True)
                if all(rms(flat(gradient)) >= _VANISHED * size for gradient, size in pairs):
                    return found
        return truth

    def _check(self, case: Case, truth: Gradients) -> None:
        """Compare the candidate's gradients of one call. Raises RejectedError if they are wrong, or something was
        overwritten for them."""
        call, case = case, truth.as_results(case)
        self._adapt(case, truth)
        if case.name in _FAMILIES and not case.finite():
            return
        answer = ask(self._session, call, truth)
        total = self._difference(case, truth, answer)
        self._count += len(case.truth)
        self._worst.add(total)
        if total.wrong and not self._is_unsteady(case, truth, total):
            if answer.overwritten:
                self._trials.note("audit", "input_mutated", answer.overwritten)
            self._reject(case, total)
        _require_kept(answer)

    def _try_with_a_call_between(self) -> None:
        """Have the module called on other values before the backward pass, as it is in shared layers and where several
        batches' gradients are added up: without that all gradients were right."""
        case = self._maker.make()
        truth = self._differentiator.gradients(case)
        call, case = case, truth.as_results(case)
        self._adapt(case, truth)
        text = "gradients are right unless the module is called again before the backward pass"
        try:
            answer = ask(self._session, call, truth, between=True)
            total = self._difference(case, truth, answer)
        except RejectedError as error:
            if error.outcome != "runtime_error":
                raise
            text = f"{text}: {error.detail}"
        else:
            if not total.wrong:
                _require_kept(answer)
                return
            text = f"{text}: {total.wrong} of {total.total} elements differ"
        raise RejectedError("broken_promise", text, [("activations_overwritten", text)])

    def _difference(self, case: Case, truth: Gradients, answer: Answer) -> Difference:
        found = [
            (place[:MAX_PLACE_CHARS], got, wanted, compare(got, wanted, self._tolerance, place))
            for (place, _), got, wanted in zip(case.wanted, answer.gradients, case.truth, strict=True)
        ]
        review = HonestError(lambda case, keeping: self._differentiator.neighbours(case, truth, keeping))
        return joined([difference for *_, difference in review.review(case, found, self._tolerance)])

    def _adapt(self, case: Case, truth: Gradients) -> None:
        """Set the tolerance for gradients of this size: where all are small, zeros would pass."""
        least, largest = _LEAST_SIZE, max(rms(flat(gradient)) for gradient in truth.tensors)
        near = next(self._differentiator.neighbours(case, truth, 0), None) if 0 < largest < least else None
        if near is not None:
            errors = map(self._error, near.tensors, truth.tensors)
            least = min(least, max(_LEAST_SIZE * largest, _ERRORS * max(errors)))
        self._tolerance = replace(self._tolerance, least_size=least, fixed_hidden=least)

    def _error(self, near: torch.Tensor, gradient: torch.Tensor) -> float:
        """Return the size of which the tolerance is the largest difference of both."""
        largest = float((flat(near) - flat(gradient)).abs().max()) if gradient.numel() else 0.0
        return largest / self._tolerance.relative(gradient.dtype)

    def _is_unsteady(self, case: Case, truth: Gradients, found: Difference) -> bool:
        """Return whether last bits of a family's values explain wrong elements, as for the forward pass."""
        if case.name not in _FAMILIES:
            return False
        moves = Moves(found, self._tolerance)
        for run in without_choice(self._differentiator.neighbours(case, truth, 0), MOST_RUNS):
            moves.add(run.tensors, case.truth)
            if moves.is_decided:
                break
        return moves.explain()

    def _reject(self, case: Case, total: Difference) -> None:
        for mismatch in total.mismatches:
            mismatch["trial"] = "backward"
        self._trials.record.worst.add(total)
        example = total.mismatches[0]
        raise RejectedError(
            "wrong_value",
            f"backward pass: {total.wrong} of {total.total} elements of the gradients differ; {example['output']}"
            f"{example['index']} is {example['got']}, not {example['expected']}",
        )


def _given(truth: Gradients, case: Case) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Return the upstream gradients with the outputs that they are for."""
    return [(u, o) for u, o in zip(truth.upstream, case.truth, strict=True) if u is not None]


def _require_kept(answer: Answer) -> None:
    if answer.overwritten:
        text = f"the gradients are correct, and {answer.overwritten}"
        raise RejectedError("broken_promise", text, [("input_mutated", text)])
