"""The other mode of a model: a task's own is that of training, unless its model says otherwise, and a batch norm or a
dropout computes something else once `model.eval()` is called.

A candidate that knows one mode alone is right on all that the task asks for, so that nothing here is refused: what is
wrong there is a finding, to be looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from eval_app.engine.judge.calls.session import Session
from eval_app.engine.judge.checks.trials import Trials
from eval_app.engine.judge.comparison.compare import compare
from eval_app.engine.judge.task.cases import Case, CaseMaker
from eval_app.engine.judge.verdicts import (
    ReferenceFaultError,
    RejectedError,
    RunnerLostError,
    UnreviewedError,
)
from eval_app.engine.shared.trees import unflatten

# Outcomes after which the runner can be used.
_USABLE = ("runtime_error", "wrong_structure", "out_of_memory")


class ModeTrial:
    """Calls a candidate, whose trials are over, in the mode that the task's model is not in."""

    def __init__(self, session: Session, maker: CaseMaker, trials: Trials) -> None:
        """Store the session."""
        self._session, self._maker, self._trials = session, maker, trials

    def run(self) -> bool:
        """Note whether the candidate is wrong there, if the reference gives something else there; return whether its
        process is still usable. Statistics of another number of calls are no fault: both sides begin with the same, so
        that weights of other names are not asked about."""
        if self._trials.weights == "seeded":
            return True
        model = self._maker.reference.model
        training = not model.training
        try:
            own = self._maker.make()
            with _mode(model, training=training):  # reviews call it, too
                case = self._case(own)
                return case is None or self._try(case, training=training)
        except (ReferenceFaultError, torch.OutOfMemoryError):
            return True

    def _case(self, own: Case) -> Case | None:
        """Return a call in the present mode; None if it gives the same as in the model's own."""
        if self._trials.weights == "state_dict":
            self._session.give_weights(in_place=True)
        case = self._maker.from_inputs("natural", unflatten(own.tree, own.tensors), own.rng)
        return case if case.finite() and self._session.holds(case) and self._differ(own, case) else None

    def _differ(self, left: Case, right: Case) -> bool:
        if [t.shape for t in left.results] != [t.shape for t in right.results]:
            return True
        pairs = zip(left.results, right.results, strict=True)
        return any(compare(a, b, self._trials.tolerance(own=False)).wrong for a, b in pairs)

    def _try(self, case: Case, *, training: bool) -> bool:
        self._session.release_cache()
        name = "model.train()" if training else "model.eval()"
        try:
            self._set_mode(training)
            found = self._trials.another_difference(case)
            if found.wrong:
                self._note(name, f"{found.wrong} of {found.total} elements are wrong")
            self._set_mode(None)
            if self._trials.weights == "state_dict":
                self._session.give_weights(in_place=True)
        except UnreviewedError:  # says nothing of the values
            return False
        except RejectedError as error:
            self._note(name, f"{error.outcome}: {error.detail}")
            if error.outcome not in _USABLE:
                return False
            self._set_mode(None)
        except RunnerLostError:
            self._note(name, "its process ended")
            return False
        return True

    def _set_mode(self, training: bool | None) -> None:
        """Have the candidate's model in a mode, or None for its own again."""
        self._session.order({"op": "mode", "training": training})

    def _note(self, name: str, what: str) -> None:
        text = (
            f"right in the mode that the task's model is in; after {name}, which the reference takes: {what}"
        )
        self._trials.note("audit", "mode_ignored", text[:2000])


@contextmanager
def _mode(model: torch.nn.Module, *, training: bool) -> Iterator[None]:
    """Have a model in a mode during the block."""
    before = [(module, module.training) for module in model.modules()]
    model.train(training)
    try:
        yield
    finally:
        for module, mode in before:
            module.training = mode
