"""What a call leaves in its arguments besides its results: items of lists and dicts, and inputs that it overwrites.

A candidate may spare what the reference changes there, which may be a by-product: it is named. One that changes a list
or a dict as well has to leave in it what the reference does.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from eval_app.engine.judge.calls.session import CallResult, Session
from eval_app.engine.judge.checks.trials import Trials
from eval_app.engine.judge.task.cases import Case, CaseMaker, each_has_same_bits
from eval_app.engine.judge.task.reference import Reference, require_context
from eval_app.engine.judge.verdicts import ReferenceFaultError, RejectedError
from eval_app.engine.shared.trees import besides_tensors


class ArgumentTrial:
    """Looks at the arguments of single calls, of a task whose reference changes some."""

    def __init__(self, session: Session, maker: CaseMaker, trials: Trials) -> None:
        """Store the session, after all trials on results."""
        self._session, self._maker, self._trials = session, maker, trials

    def run(self) -> None:
        """Name what is spared, and compare what lists and dicts hold. Raises RejectedError if that is wrong."""
        first = self._trials.first
        if first is None or (first.keeps_arguments and not (first.truth and first.overwritten)):
            return
        case = self._maker.make()
        result = self._trials.check(case)
        self._note_spared(case, result)
        if not (case.keeps_arguments or result.reply.keeps_arguments):
            try:
                self._compare()
            except RejectedError as error:
                error.detail = (
                    f"results are right; of the lists and dicts that a call changes: {error.detail}"
                )
                raise

    def _note_spared(self, case: Case, result: CallResult) -> None:
        spared = [f"input {number}" for number in _spared(case, result)]
        if not case.keeps_arguments and result.reply.keeps_arguments:
            spared.append("the items of a list or dict")
        if spared:
            text = f"the call leaves as they were: {', '.join(spared)[:300]}, which the reference changes"
            self._trials.note("audit", "inputs_spared", text)

    def _compare(self) -> None:
        """Compare lists and dicts after a call, as one more result of it."""
        with _giving_arguments(self._maker.reference):
            try:
                case = self._maker.make()
            except ReferenceFaultError as error:  # they hold what cannot be passed to another process
                require_context(error)
                return
            case.own = False  # a calibrated tolerance is that of the task's results
            self._session.fit(case)
            self._session.order({"op": "arguments", "given": True})
            found = self._trials.another_difference(case)
            if found.wrong:
                self._maker.confirm(case, self._trials.tolerance_of(case))
                example = found.mismatches[0]
                raise RejectedError(
                    "wrong_value",
                    f"{found.wrong} of {found.total} elements differ; {example['output']}{example['index']} is "
                    f"{example['got']}, not {example['expected']}",
                )
            self._session.order({"op": "arguments", "given": False})


class _Giving(torch.nn.Module):
    """A model that gives out its arguments beside its result."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self._model = model

    def forward(self, *arguments: Any) -> Any:
        return self._model(*arguments), besides_tensors(arguments)


@contextmanager
def _giving_arguments(reference: Reference) -> Iterator[None]:
    """Have the reference's model give out its arguments as well during the block."""
    own = reference.model
    reference.model = _Giving(own)
    try:
        yield
    finally:
        reference.model = own


def _spared(case: Case, result: CallResult) -> list[int]:
    """Return the inputs that the reference overwrites besides giving results, and the candidate does not."""
    numbers = case.overwritten if case.truth else []
    present = [result.inputs[n].to(case.tensors[n].device) for n in numbers]
    kept = each_has_same_bits(present, [case.tensors[n] for n in numbers])
    return [number for number, same in zip(numbers, kept, strict=True) if same]
