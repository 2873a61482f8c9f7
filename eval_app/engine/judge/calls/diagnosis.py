"""The kind of a wrong output: replayed, late, unordered, varying, unwritten or simply wrong."""

from __future__ import annotations

import time
from typing import Protocol

import torch

from eval_app.engine.judge.calls.conduct import Results
from eval_app.engine.judge.calls.session import CallResult, Session
from eval_app.engine.judge.comparison.compare import Difference, Tolerance, compare
from eval_app.engine.judge.task.cases import Case, CaseMaker, same_bits
from eval_app.engine.judge.values.output_digest import digest_of, varied
from eval_app.engine.judge.verdicts import RejectedError

# Number of remembered truths: a replay keyed on an address can be that old.
_REMEMBERED = 256
# Delays after which late work is looked for; longer ones if threads run or memory is unwritten.
_LATE_S = (0.05,)
_VERY_LATE_S = (0.05, 0.25, 1.0)
# Times that early inputs must mend a call, and late ones spoil it, before its stream is blamed: a program that chooses
# at random between two methods is right now and then as well.
_UNORDERED_TIMES = 5
# More calls on the values of a wrong one, of which any may be right.
_REPEATS = 2


class TruthHistory:
    """Digests of the truths of earlier calls."""

    def __init__(self) -> None:
        """Start empty."""
        self._earlier: list[tuple[str, list[torch.Tensor]]] = []

    def keep(self, case: Case) -> None:
        """Add a call's truth."""
        digests = [digest_of(tensor) for tensor in case.truth]
        self._earlier = [*self._earlier[1 - _REMEMBERED :], (case.name, digests)]

    def recognise(self, case: Case, outputs: list[torch.Tensor], tolerance: Tolerance) -> str:
        """Return the name of the earlier trial whose truth the outputs of a wrong call equal; empty if there is none.
        Outputs as close to the truth of the call itself, which are wrong where they are small, are no replay: the same
        values may have been tried before."""
        now, own = ([digest_of(tensor) for tensor in tensors] for tensors in (outputs, case.truth))
        if len(now) == len(own) and all(_close(a, b, tolerance) for a, b in zip(now, own, strict=True)):
            return ""
        for name, digests in reversed(self._earlier):
            alike = len(now) == len(digests) and any(varied(p) for p in digests)
            if alike and all(_close(a, b, tolerance) for a, b in zip(now, digests, strict=True)):
                return name
        return ""


def _close(left: torch.Tensor, right: torch.Tensor, tolerance: Tolerance) -> bool:
    return left.shape == right.shape and compare(left, right, tolerance).wrong == 0


class Retry(Protocol):
    """The part of `trials.Trials` that repeats calls: what a diagnosis needs."""

    session: Session
    maker: CaseMaker
    history: TruthHistory
    first: Case | None
    trials: int
    weights: str
    weights_detail: str

    def tolerance_of(self, case: Case) -> Tolerance:
        """Return the tolerance for one call."""

    def difference_only(self, case: Case, *, early: bool = False) -> int:
        """Repeat the call and return the number of elements beyond tolerance."""

    def gives_right_ones(self, case: Case, wrong: Results) -> bool:
        """Repeat the call and return whether it gives other results than these, and right ones."""


class Diagnosis:
    """Determines the kind of one wrong call by further calls."""

    def __init__(self, trials: Retry) -> None:
        """Store the trials, which repeat calls."""
        self._trials = trials
        self._session, self._maker = trials.session, trials.maker

    def reject(self, case: Case, result: CallResult, difference: Difference) -> None:
        """Raise RejectedError with the kind of the failure, after checking that the reference itself repeats."""
        for mismatch in difference.mismatches:
            mismatch["trial"] = case.name
        share = f"{difference.wrong} of {difference.total} elements differ in trial {case.name}"
        example, wrong = example_of(difference), Results.of(case, result)
        trials = self._trials
        self._maker.confirm(case, trials.tolerance_of(case))
        replayed = trials.history.recognise(case, result.outputs, trials.tolerance_of(case))
        if replayed:
            text = f"{share}: the output is the correct one of the earlier trial {replayed}, replayed"
            raise RejectedError("cheated", text, [("output_replayed", text)])
        self._reject_if_late(result, share + example, difference)
        self._reject_if_unordered(case, share)
        if any(trials.gives_right_ones(case, wrong) for _ in range(_REPEATS)):
            text = f"{share}{example}; the same inputs gave a correct output when repeated"
            raise RejectedError("nondeterministic", text, [("unsteady_output", text)])
        if difference.unwritten == difference.total:
            share += "; all of them are NaN, the content of unwritten memory"
        if trials.weights == "seeded":
            self._reject_weights(share + example)
        first = trials.first
        is_same_model = first is not None and first.config == case.config
        if first and is_same_model and first is not case and trials.difference_only(first):
            text = f"{share}{example}; the inputs of its first trial, which was correct, now give wrong outputs too"
            raise RejectedError("cheated", text, [("wrong_later", text)])
        raise RejectedError("wrong_value", share + example)

    def _reject_if_late(self, result: CallResult, share: str, difference: Difference) -> None:
        """Read the wrong result again after short delays, to detect work that continued after the return."""
        before = [output.clone() for output in result.outputs]
        suspect = result.reply.threads_after or difference.unwritten
        for wait_s in _VERY_LATE_S if suspect else _LATE_S:
            time.sleep(wait_s)
            again = self._session.recopy(result.slots, back=0)
            if not all(same_bits(a, b) for a, b in zip(before, again, strict=True)):
                text = f"{share}; the result changed within {wait_s * 1e3:.0f} ms after it was returned"
                raise RejectedError("cheated", text, [("work_after_return", text)])

    def _reject_if_unordered(self, case: Case, share: str) -> None:
        """Detect a stream that is not synchronised: correct if inputs are ready, wrong if they arrive in
        stream order."""
        if self._maker.reference.device.type == "cpu":
            return
        for _ in range(_UNORDERED_TIMES):
            if self._trials.difference_only(case, early=True) or not self._trials.difference_only(case):
                return
        text = f"{share}; correct only if inputs were complete before the call: work on an unjoined stream"
        raise RejectedError("cheated", text, [("work_after_return", text)])

    def _reject_weights(self, text: str) -> None:
        missing = self._trials.weights_detail
        detail = f"its weights cannot be set from the reference's state_dict ({missing}), and {text}"
        raise RejectedError("wrong_value" if self._trials.trials > 1 else "wrong_structure", detail)


def wrong_before(case: Case, found: Difference, *, is_same: bool) -> RejectedError:
    """Return the rejection of a call that was wrong, and right on the same values afterwards, where `is_same` says
    whether both gave the same: then a review of two says so, as last bits are drawn at random."""
    text = f"{found.wrong} of {found.total} elements differ in trial {case.name}{example_of(found)}"
    if is_same:
        return RejectedError("wrong_value", text)
    text += "; the same inputs gave a correct output afterwards"
    return RejectedError("nondeterministic", text, [("unsteady_output", text)])


def example_of(difference: Difference) -> str:
    """Return the first wrong element in words, empty if none is listed."""
    if not difference.mismatches:
        return ""
    first = difference.mismatches[0]
    return f"; at {first['output']}{first['index']} {first['got']}, not {first['expected']}"
