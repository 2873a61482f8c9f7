"""Inputs that a task never draws below zero, as torch.rand does not, or never above it, tried with both signs.

A candidate that leaves out a ReLU, starts a maximum at zero, or truncates where the task rounds down, is right on all
that such a task draws. An honest author may rely on it as well, so that nothing here is refused: what is wrong there is
a finding, to be looked at. The reference decides what may be negative: where it raises, or its output is not finite (a
root, a logarithm), nothing is asked. Counts stay.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

import torch

from eval_app.engine.judge import unvaried
from eval_app.engine.judge.cases import Case, CaseMaker
from eval_app.engine.judge.reductions import smallest
from eval_app.engine.judge.session import Session
from eval_app.engine.judge.structure import Structure
from eval_app.engine.judge.trials import Trials
from eval_app.engine.judge.verdicts import (
    ReferenceFaultError,
    RejectedError,
    RunnerLostError,
    UnreviewedError,
)

FAMILY = "signed"
# Outcomes after which the runner can be used.
_USABLE = ("runtime_error", "wrong_structure", "out_of_memory")


def one_sided(inputs: Any) -> list[int]:
    """Return the numbers of the leaves that hold measurements of one sign."""
    return [
        number
        for number, leaf in enumerate(unvaried.leaf_values(inputs))
        if unvaried.is_measured(leaf) and (smallest(leaf) >= 0 or float(leaf.max()) <= 0)
    ]


def signed(inputs: Any, numbers: Sequence[int]) -> Any:
    """Return inputs with random signs in the leaves `numbers`; triangles, orders and the like stay what they are."""
    leaves = unvaried.leaf_values(inputs)
    changes = {n: Structure.of(leaves[n]).impose(_with_signs(leaves[n])) for n in numbers}
    return unvaried.with_leaves(inputs, changes)


def _with_signs(x: torch.Tensor) -> torch.Tensor:
    return torch.where(torch.rand(x.shape, device=x.device) < 0.5, -x, x)


class SignTrial:
    """Calls a candidate, whose trials are over, on inputs with both signs."""

    def __init__(self, session: Session, maker: CaseMaker, trials: Trials) -> None:
        """Store the session."""
        self._session, self._maker, self._trials = session, maker, trials

    def run(self) -> bool:
        """Note where the candidate is wrong; return whether its process is still usable.

        A reference that takes not any value is not asked: another one may end a GPU's context.
        """
        try:
            return bool(self._maker.reference.domain) or self._run()
        except torch.OutOfMemoryError:  # all is judged, and the judge holds one case more here
            return True

    def _run(self) -> bool:
        """Give signs to all inputs at once, or to one at a time where the reference takes no more."""
        inputs = self._maker.draw("natural")
        numbers = one_sided(inputs)
        for group in [numbers, *([number] for number in numbers if len(numbers) > 1)]:
            case = self._case(inputs, group) if group else None
            if case is not None and not self._try(case, unvaried.places(inputs, group)):
                return False
            if case is not None and group == numbers:
                return True
        return True

    def _case(self, inputs: Any, group: list[int]) -> Case | None:
        try:
            case = self._maker.from_inputs(FAMILY, signed(inputs, group), secrets.randbits(31))
        except ReferenceFaultError:
            return None
        return case if case.finite() and self._session.holds(case) else None

    def _try(self, case: Case, places: list[str]) -> bool:
        trials = self._trials
        self._session.release_cache()
        try:
            found = trials.another_difference(case)
        except UnreviewedError:  # says nothing of the values
            return False
        except RejectedError as error:  # whatever it says of itself: calls without signs had no such fault
            self._note(places, f"{error.outcome}: {error.detail}")
            return error.outcome in _USABLE
        except RunnerLostError:
            self._note(places, "its process ended")
            return False
        if found.wrong and not trials.unsteady(case, found):
            self._note(places, f"{found.wrong} elements are wrong")
        return True

    def _note(self, places: list[str], what: str) -> None:
        text = (
            f"right on all that the task draws; where {', '.join(places)[:300]} has both signs, which the "
            f"reference takes: {what}"
        )
        self._trials.note("audit", "assumes_no_negatives", text)
