"""Calls on inputs that a task never draws and its reference takes: an honest author may rely on what all draws have in
common, so that nothing is refused there. What is wrong is a finding, to be looked at."""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import torch

from eval_app.engine.judge.calls.session import Session
from eval_app.engine.judge.checks.trials import Trials
from eval_app.engine.judge.task.cases import Case, CaseMaker
from eval_app.engine.judge.values import unvaried
from eval_app.engine.judge.verdicts import (
    ReferenceFaultError,
    RejectedError,
    RunnerLostError,
    UnreviewedError,
)

# Outcomes after which the runner can be used.
_USABLE = ("runtime_error", "wrong_structure", "out_of_memory")


class BeyondDraws(ABC):
    """Calls a candidate, whose trials are over, on inputs of one kind."""

    # The name of the calls, the finding, and what such inputs have, in words.
    family: str
    code: str
    what: str

    def __init__(self, session: Session, maker: CaseMaker, trials: Trials) -> None:
        """Store the session."""
        self._session, self._maker, self._trials = session, maker, trials

    @abstractmethod
    def find(self, inputs: Any) -> list[int]:
        """Return the numbers of the leaves that may be changed."""

    @abstractmethod
    def change(self, inputs: Any, numbers: Sequence[int]) -> Any:
        """Return inputs with these leaves changed."""

    def fits(self, case: Case) -> bool:
        """Return whether the reference's results say something."""
        return case.finite()

    def run(self) -> bool:
        """Note where the candidate is wrong; return whether its process is still usable.

        A reference that takes not any value is not asked: another one may end a GPU's context.
        """
        try:
            return bool(self._maker.reference.domain) or self._run()
        except torch.OutOfMemoryError:  # all is judged, and the judge holds one case more here
            return True

    def _run(self) -> bool:
        """Change all inputs at once, or one at a time where the reference takes no more."""
        inputs = self._maker.draw("natural")
        numbers = self.find(inputs)
        for group in [numbers, *([number] for number in numbers if len(numbers) > 1)]:
            case = self._case(inputs, group) if group else None
            if case is not None and not self._try(case, unvaried.places(inputs, group)):
                return False
            if case is not None and group == numbers:
                return True
        return True

    def _case(self, inputs: Any, group: list[int]) -> Case | None:
        try:
            case = self._maker.from_inputs(self.family, self.change(inputs, group), secrets.randbits(31))
        except ReferenceFaultError:
            return None
        return case if self.fits(case) and self._session.holds(case) else None

    def _try(self, case: Case, places: list[str]) -> bool:
        trials = self._trials
        self._session.release_cache()
        try:
            found = trials.another_difference(case)
        except UnreviewedError:  # says nothing of the values
            return False
        except RejectedError as error:  # whatever it says: calls as the task draws had no such fault
            self._note(places, f"{error.outcome}: {error.detail}")
            return error.outcome in _USABLE
        except RunnerLostError:
            self._note(places, "its process ended")
            return False
        if found.wrong and not trials.unsteady(case, found):
            self._note(places, f"{found.wrong} elements are wrong")
        return True

    def _note(self, places: list[str], found: str) -> None:
        text = f"right on all that the task draws; where {', '.join(places)[:300]} {self.what}, which the "
        self._trials.note("audit", self.code, f"{text}reference takes: {found}")
