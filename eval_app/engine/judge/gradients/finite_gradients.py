"""Gradients where values are zeros, as in padding. Any subgradient is right there; a NaN, as of the root of a sum of
squares, ends a training that goes on with the reference, and is named."""

from __future__ import annotations

from contextlib import suppress

from eval_app.engine.judge.checks.trials import Trials
from eval_app.engine.judge.gradients.gradient_call import GradientCalls
from eval_app.engine.judge.gradients.reference_gradients import Differentiator, NotDifferentiableError
from eval_app.engine.judge.task.cases import CaseMaker
from eval_app.engine.judge.task.reference import require_context
from eval_app.engine.judge.values import eight_bits
from eval_app.engine.judge.values.families import NotApplicableError
from eval_app.engine.judge.verdicts import ReferenceFaultError

_FAMILY = "one_hot"


def look(calls: GradientCalls, maker: CaseMaker, differentiator: Differentiator, trials: Trials) -> None:
    """Note gradients that are not finite where the reference's are, if outputs are right on zeros."""
    if _FAMILY not in trials.families:
        return
    with suppress(NotApplicableError, NotDifferentiableError):
        try:
            case = maker.make(_FAMILY)
        except ReferenceFaultError as error:
            require_context(error)
            return
        truth = differentiator.gradients(case)
        for (name, _, right), got in zip(truth.named, calls.ask(case, truth).gradients, strict=True):
            count = int((eight_bits.single(right).isfinite() & ~eight_bits.single(got).isfinite()).sum())
            if count:
                text = f"where values are zeros, {count} of {got.numel()} elements of the gradient of {name[:200]}"
                trials.note(
                    "audit", "gradients_not_finite", f"{text} are NaN or infinite; the reference's are finite"
                )
