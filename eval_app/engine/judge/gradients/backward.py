"""The backward pass: gradients of inputs and parameters under random upstream gradients, compared with the
reference's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

import torch

from eval_app.engine.contract.evidence import MAX_PLACE_CHARS
from eval_app.engine.contract.profiles import Profile
from eval_app.engine.judge.calls.record import finite
from eval_app.engine.judge.calls.session import Session
from eval_app.engine.judge.checks.result_memory import reuse
from eval_app.engine.judge.checks.reweigh import Reweigh
from eval_app.engine.judge.checks.trials import Trials
from eval_app.engine.judge.comparison.compare import Difference, Tolerance, compare, flat
from eval_app.engine.judge.comparison.explained import MOST_RUNS, Moves, joined
from eval_app.engine.judge.gradients import finite_gradients
from eval_app.engine.judge.gradients.gradient_call import Answer, GradientCalls
from eval_app.engine.judge.gradients.reference_gradients import (
    Differentiator,
    Gradients,
    NotDifferentiableError,
)
from eval_app.engine.judge.gradients.upstream import Layout, one_row, one_value, transposed
from eval_app.engine.judge.last_bits.honest_error import HonestError
from eval_app.engine.judge.last_bits.neighbours import without_choice
from eval_app.engine.judge.task.cases import Case, CaseMaker
from eval_app.engine.judge.values.reductions import rms
from eval_app.engine.judge.verdicts import ReferenceFaultError, RejectedError

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

_WRONG_GRADIENTS = "backward pass: {} elements of the gradients differ"
_WRONG_OUTPUTS = "outputs are right unless gradients are asked for, as in training: {} elements differ"
_OF_MOVED_WEIGHTS = "once the weights have changed in place, as in training, which the outputs follow"


class BackwardTrials:
    """Compares a candidate's gradients with the reference's."""

    def __init__(
        self, session: Session, maker: CaseMaker, trials: Trials, profile: Profile, reweigh: Reweigh | None
    ) -> None:
        """Prepare the tolerances; the forward pass must have passed, and the weights have been moved by `reweigh` if
        any."""
        self._session, self._maker, self._trials, self._profile = session, maker, trials, profile
        self._calls, self._reweigh = GradientCalls(session), reweigh
        self._tolerance = Tolerance(
            profile.gradient_fp32, profile.gradient_half, profile.gradient_fp64,
            least_size=_LEAST_SIZE, fixed_hidden=_LEAST_SIZE,
        )  # fmt: skip
        self._differentiator = Differentiator(maker.reference.model, weights=trials.weights == "state_dict")
        self._worst, self._count = Difference(), 0

    def run(self) -> None:
        """Run all trials: the task's own values, families, and what training asks for besides. Raises RejectedError at
        the first wrong gradient."""
        detail = ""
        self._note_unnamed_weights()
        try:
            for number in range(self._profile.backward_trials):
                truth = self._try(self._maker.make(), _LAYOUTS[number % len(_LAYOUTS)])
            for name in self._trials.families:
                if name in _FAMILIES:
                    self._try(self._maker.make_or_own(name))
            finite_gradients.look(self._calls, self._maker, self._differentiator, self._trials)
            self._try_parts(truth)
            self._try_with_a_call_between()
            self._try_with_moved_weights()
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

    def _try(self, case: Case, layouts: tuple[Layout, ...] = ()) -> Gradients:
        truth = self._truth(case, layouts)
        try:
            self._check(case, truth)
        except RejectedError as error:
            same = all(u.is_contiguous() and u.shape == o.shape for u, o in _given(truth, case))
            if same or error.outcome not in ("wrong_value", "runtime_error"):
                raise
            self._check(case, truth.contiguous(case.truth))
            raise RejectedError(error.outcome, f"{_NEEDS_CONTIGUOUS}; {error.detail}") from None
        return truth

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
        """Have one pass made and compare the candidate's gradients."""
        if case.name not in _FAMILIES or truth.as_results(case).finite():
            self._compare(case, truth, self._ask(case, truth))

    def _compare(self, case: Case, truth: Gradients, answer: Answer) -> None:
        """Compare the candidate's gradients of one call. Raises RejectedError if they are wrong, or something was
        overwritten for them."""
        graded = truth.as_results(case)
        self._adapt(graded, truth)
        total = self._difference(graded, truth, answer)
        self._count += len(graded.truth)
        self._worst.add(total)
        if total.wrong and not self._is_unsteady(graded, truth, total):
            if answer.overwritten:
                self._trials.note("audit", "input_mutated", answer.overwritten)
            self._reject(total, _WRONG_GRADIENTS)
        self._require_kept(case, answer)

    def _ask(self, case: Case, truth: Gradients, *, between: bool = False) -> Answer:
        """Return the candidate's gradients, with outputs that are right. Raises RejectedError if they are not."""
        answer = self._calls.ask(case, truth, between=between)
        if total := self._outputs_difference(case, answer):
            self._reject(total, _WRONG_OUTPUTS)
        return answer

    def _outputs_difference(self, case: Case, answer: Answer) -> Difference | None:
        """Return how far the outputs of a call whose gradients are asked for are from those of any other, or from the
        reference's own there; None if they are right."""
        if case.name in _FAMILIES and not case.finite():
            return None
        total = self._trials.reviewed(case, answer.outputs).total
        if not total.wrong or self._trials.unsteady(case, total):
            return None
        other = replace(case, truth=self._differentiator.outputs(case))
        return total if self._trials.reviewed(other, answer.outputs).total.wrong else None

    def _try_parts(self, whole: Gradients) -> None:
        """Ask for less than the gradients of all inputs and weights under those of all outputs, as training does, where
        the reference takes it: with all of them they were right."""
        for asked in whole.parts():
            case = self._maker.make()
            with suppress(NotDifferentiableError):
                truth = self._differentiator.gradients(case, asked=asked)
                with _told_of(asked.text([place for place, form in case.wanted if "tensor" in form])):
                    self._check(case, truth)

    def _try_with_moved_weights(self) -> None:
        """Have one backward pass made with other weights, as after a step of training, if the forward pass follows
        them."""
        if self._reweigh and self._reweigh.followed:
            with _told_of(_OF_MOVED_WEIGHTS):
                self._reweigh.while_moved(self._follows)

    def _follows(self) -> bool:
        """Return whether the outputs follow the present weights. Raises RejectedError if they do and the gradients do
        not."""
        with suppress(NotDifferentiableError, ReferenceFaultError):
            case = self._maker.make()
            case.own = False
            # Calls may change what a model keeps, as that of a spectral norm does: both sides begin with the same.
            self._session.give_weights(in_place=True)
            truth = self._differentiator.gradients(case)
            answer = self._calls.ask(case, truth)
            if not case.finite() or self._outputs_difference(case, answer):
                return False
            self._compare(case, truth, answer)
        return True

    def _try_with_a_call_between(self) -> None:
        """Have the module called on other values before the backward pass, as it is in shared layers and where several
        batches' gradients are added up: without that all gradients were right."""
        case = self._maker.make()
        truth = self._differentiator.gradients(case)
        call, case = case, truth.as_results(case)
        self._adapt(case, truth)
        text = "gradients are right unless the module is called again before the backward pass"
        try:
            answer = self._ask(call, truth, between=True)
            total = self._difference(case, truth, answer)
        except RejectedError as error:
            if error.outcome != "runtime_error":
                raise
            text = f"{text}: {error.detail}"
        else:
            if not total.wrong:
                self._require_kept(call, answer)
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
        least = _LEAST_SIZE * truth.asked.size
        largest = max(rms(flat(gradient)) for gradient in truth.tensors)
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

    def _require_kept(self, case: Case, answer: Answer) -> None:
        """Raise RejectedError if a pass with right gradients overwrites something that the reference leaves alone."""
        if answer.overwritten:
            text = f"the gradients are correct, and {answer.overwritten}"
            raise RejectedError("broken_promise", text, [("input_mutated", text)])
        if answer.reused and not self._differentiator.gives_out_again(case):
            raise reuse(answer.reused)

    def _reject(self, total: Difference, what: str) -> None:
        for mismatch in total.mismatches:
            mismatch["trial"] = "backward"
        self._trials.record.worst.add(total)
        example = total.mismatches[0]
        raise RejectedError(
            "wrong_value",
            f"{what.format(f'{total.wrong} of {total.total}')}; {example['output']}{example['index']} is "
            f"{example['got']}, not {example['expected']}",
        )


def _given(truth: Gradients, case: Case) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Return the upstream gradients with the outputs that they are for."""
    return [(u, o) for u, o in zip(truth.upstream, case.truth, strict=True) if u is not None]


@contextmanager
def _told_of(part: str) -> Iterator[None]:
    """Add to a rejection in the block that gradients are right elsewhere, and where they are not."""
    try:
        yield
    except RejectedError as error:
        if error.outcome not in ("wrong_value", "runtime_error", "wrong_structure"):
            raise
        text = f"gradients are right, but not {part}; {error.detail}"
        raise RejectedError(error.outcome, text) from None
