"""The trials: does the candidate give the truth, every time, on values that it could not foresee."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import torch

from eval_app.engine.judge import families
from eval_app.engine.judge.cases import Case, CaseMaker, same_bits
from eval_app.engine.judge.compare import Difference, Tolerance, compare
from eval_app.engine.judge.prints import print_of, varied
from eval_app.engine.judge.session import Session, Shown, mutated
from eval_app.engine.judge.verdicts import RejectedError, finding
from eval_app.engine.profiles import Profile

_REMEMBERED = 24
# Work that goes on after a call has returned is looked for this long.
_LATE_S = 0.05


class Trials:
    """Runs cases through a session and keeps the evidence."""

    def __init__(self, session: Session, maker: CaseMaker, profile: Profile) -> None:
        """Nothing is run yet."""
        self._session, self._maker, self._profile = session, maker, profile
        self._tolerance = Tolerance(profile.tolerance_fp32, profile.tolerance_half, profile.tolerance_fp64)
        self.compared = self.trials = 0
        self.worst = Difference()
        self.kernelbench_allclose = True
        self.families: list[str] = []
        self.skipped: dict[str, str] = {}
        self.findings: dict[str, dict[str, Any]] = {}
        self.weights = "none"
        self.weights_detail = ""
        self.dtypes: dict[str, float] = {}
        self._earlier: list[tuple[str, list[torch.Tensor]]] = []
        self._first: Case | None = None
        self.share = 0.0

    def note(self, severity: str, code: str, detail: str) -> None:
        """Keep a finding; the first of a code stands."""
        self.findings.setdefault(code, finding(severity, code, detail))

    def run_all(self, first: Case) -> None:
        """The whole of correctness: own inputs, repeats, families. Cheap first: a broken kernel leaves early."""
        self.check(first)
        self._repeat(first)
        for _ in range(self._profile.trials - 1):
            self.check(self._maker.make())
        for name in self._profile.families:
            self._try_family(name)
        self._look_back()

    def check(self, case: Case) -> Shown:
        """One call, held against the truth; RejectedError at the first difference."""
        shown = self._session.run(case)
        self.trials += 1
        self._check_conduct(case, shown)
        difference = self.difference(case, shown)
        if difference.wrong:
            self._reject(case, shown, difference)
        self._remember(case)
        self._first = self._first or case
        return shown

    def difference(self, case: Case, shown: Shown) -> Difference:
        """How far the outputs of one call are from the truth."""
        total = Difference()
        places = [place for place, form in case.wanted if "tensor" in form]
        for place, got, truth in zip(places, shown.outputs, case.truth, strict=True):
            total.add(compare(got.to(truth.device), truth, self._tolerance, place))
            self.dtypes[str(truth.dtype).removeprefix("torch.")] = self._tolerance.relative(truth.dtype)
        _compare_plain(case, shown.reply.plain, total)
        self.compared += 1
        self.kernelbench_allclose &= total.allclose
        if total.total:
            self.share = max(self.share, total.wrong / total.total)
        self.worst.add(total)
        return total

    def _check_conduct(self, case: Case, shown: Shown) -> None:
        if not shown.guards_intact:
            text = f"bytes beside the buffers were overwritten in trial {case.name}"
            raise RejectedError("illegal_memory", text, [("out_of_bounds_write", text)])
        if mutated(case, shown):
            text = (
                f"the inputs were changed by the call in trial {case.name}; the reference leaves them alone"
            )
            alias = [("output_aliases_input", "an output shares its memory with an input")]
            raise RejectedError(
                "cheated", text, [("input_mutated", text), *(alias * shown.reply.aliases_input)]
            )
        if shown.reply.aliases_input and not _truth_aliases(case):
            self.note("audit", "output_aliases_input", "an output shares its memory with an input")
        if shown.reply.threads and self.trials == 1:
            text = f"{shown.reply.threads} threads of the candidate's own ran before its first call"
            self.note("audit", "background_thread", text)

    def _reject(self, case: Case, shown: Shown, difference: Difference) -> None:
        """Say what kind of wrong it is: replayed, unsteady, unwritten or plainly wrong."""
        for mismatch in difference.mismatches:
            mismatch["trial"] = case.name
        share = f"{difference.wrong} of {difference.total} elements differ in trial {case.name}"
        first = difference.mismatches[0] if difference.mismatches else None
        example = (
            f"; at {first['output']}{first['index']} {first['got']}, not {first['expected']}" if first else ""
        )
        self._maker.confirm(case, self._tolerance)
        replayed = self._replayed(shown)
        if replayed:
            text = f"{share}: the output is the right one of the earlier trial {replayed}, given again"
            raise RejectedError("cheated", text, [("output_replayed", text)])
        self._reject_if_late(case, shown, share + example)
        self._reject_if_unordered(case, share)
        if self._passes_again(case):
            text = f"{share}{example}; the same inputs gave the right output when tried again"
            raise RejectedError("nondeterministic", text, [("unsteady_output", text)])
        if difference.unwritten == difference.total:
            share += "; all of them are NaN, as memory is that nothing was written to"
        if self.weights == "seeded":
            self._reject_weights(share + example)
        if (
            self._first
            and self._first is not case
            and self.difference(self._first, self._session.run(self._first)).wrong
        ):
            text = (
                f"{share}{example}; the inputs of its first trial, which it had right, it now gets wrong too"
            )
            raise RejectedError("cheated", text, [("wrong_later", text)])
        raise RejectedError("wrong_value", share + example)

    def _reject_if_late(self, case: Case, shown: Shown, share: str) -> None:
        """Look at the wrong result once more, a little later: work that went on after the return shows."""
        before = [output.clone() for output in shown.outputs]
        time.sleep(_LATE_S)
        again = self._session.recopy(shown.slots, back=0)
        if not all(same_bits(a, b) for a, b in zip(before, again, strict=True)):
            text = f"{share}; the result changed within {_LATE_S * 1e3:.0f} ms after it was returned"
            raise RejectedError("cheated", text, [("work_after_return", text)])

    def _reject_if_unordered(self, case: Case, share: str) -> None:
        """Right when the inputs lie ready, wrong when they come in stream order: its stream waits for nobody."""
        if self._maker.reference.device.type == "cpu":
            return
        if not self.difference_only(case, early=True):
            text = (
                f"{share}; right only where inputs were complete before the call: work on an unjoined stream"
            )
            raise RejectedError("cheated", text, [("work_after_return", text)])

    def _reject_weights(self, text: str) -> None:
        detail = (
            f"its weights cannot be set from the reference's state_dict ({self.weights_detail}), and {text}"
        )
        raise RejectedError("wrong_value" if self.trials > 1 else "wrong_structure", detail)

    def _passes_again(self, case: Case) -> bool:
        wrong = [self.difference(case, self._session.run(case)).wrong for _ in range(2)]
        return not all(wrong)

    def _repeat(self, case: Case) -> None:
        """The same inputs again: the same bits, or at least always the truth."""
        prints = None
        for _ in range(self._profile.repeats - 1):
            shown = self.check(case)
            now = [print_of(output) for output in shown.outputs]
            if prints is not None and not all(same_bits(a, b) for a, b in zip(prints, now, strict=True)):
                self.note("label", "varying_bits", "repeats differ in bits, within tolerance")
            prints = now

    def _try_family(self, name: str) -> None:
        try:
            case = self._maker.make(name)
        except families.NotApplicableError as error:
            self.skipped[name] = str(error)
            return
        reason = _unfit(name, case)
        if reason:
            self.skipped[name] = reason
            return
        self.check(case)
        self.families.append(name)

    def _look_back(self) -> None:
        """An output must stay what it was when the next call comes: no late writes, no buffer given out twice."""
        earlier, later = self._maker.make(), self._maker.make()
        first, second = self.check(earlier), self.check(later)
        self.look_back(earlier, later, first, second)

    def look_back(self, earlier: Case, later: Case, first: Shown, second: Shown) -> None:
        """Compare the earlier result, copied again now, with what it was."""
        if [s.spec for s in first.slots] != [s.spec for s in second.slots]:
            return
        before = [output.clone() for output in first.outputs]
        again = self._session.recopy(first.slots, back=1)
        if all(same_bits(a, b) for a, b in zip(before, again, strict=True)):
            return
        as_later = [
            compare(a.to(t.device), t, self._tolerance).wrong for a, t in zip(again, later.truth, strict=True)
        ]
        if not any(as_later):
            text = f"the result of trial {earlier.name} became that of the next call: one buffer is given out twice"
            raise RejectedError("cheated", text, [("output_reused", text)])
        text = f"the result of trial {earlier.name} changed after it was returned"
        raise RejectedError("cheated", text, [("work_after_return", text)])

    def reweigh(self, shift: Callable[[], None], restore: Callable[[], None]) -> None:
        """Give both sides other weights: a candidate that does not follow has cached the first ones."""
        shift()
        try:
            self._session.give_weights()
            case = self._maker.make()
            if case.finite() and self.difference_only(case):
                self.note(
                    "label", "weights_cached", "the output does not follow when the weights are replaced"
                )
        finally:
            restore()
            self._session.give_weights()

    def difference_only(self, case: Case, *, early: bool = False) -> int:
        """Elements beyond tolerance in one call, kept out of the evidence."""
        kept = (self.worst, self.compared, self.kernelbench_allclose, self.share)
        self.worst = Difference()
        wrong = self.difference(case, self._session.run(case, early=early)).wrong
        self.worst, self.compared, self.kernelbench_allclose, self.share = kept
        return wrong

    def _remember(self, case: Case) -> None:
        self._earlier = [*self._earlier[1 - _REMEMBERED :], (case.name, [print_of(t) for t in case.truth])]

    def _replayed(self, shown: Shown) -> str:
        """The name of an earlier trial whose truth the outputs are, or nothing."""
        now = [print_of(output) for output in shown.outputs]
        for name, prints in self._earlier:
            if any(varied(p) for p in prints) and all(
                _close(a, b, self._tolerance) for a, b in zip(now, prints, strict=True)
            ):
                return name
        return ""


def _close(left: torch.Tensor, right: torch.Tensor, tolerance: Tolerance) -> bool:
    return left.shape == right.shape and compare(left, right, tolerance).wrong == 0


def _truth_aliases(case: Case) -> bool:
    """Whether the truth could be an input handed through: then so may the candidate's."""
    return any(
        t.shape == x.shape and t.dtype == x.dtype and same_bits(t, x) for t in case.truth for x in case.after
    )


def _unfit(name: str, case: Case) -> str:
    if not case.finite():
        return "the reference's own output is not finite on such values"
    indices = any(not (t.is_floating_point() or t.is_complex()) for t in case.truth)
    if indices and families.has_ties(name):
        return "an output holds integers, and equal values make its indices ambiguous"
    return ""


def _compare_plain(case: Case, plain: list[Any], total: Difference) -> None:
    """Outputs that are no tensors: equal, or close where they are floats."""
    wanted = [(place, form) for place, form in case.wanted if "tensor" not in form]
    if len(plain) != len(wanted):
        raise RejectedError("wrong_structure", f"{len(plain)} plain values returned; {len(wanted)} expected")
    for got, (place, form) in zip(plain, wanted, strict=True):
        total.total += 1
        if got != form and not _floats_close(got, form):
            total.wrong += 1
            total.mismatches.append(
                {"output": place, "index": [], "got": str(got)[:60], "expected": str(form)[:60]}
            )


def _floats_close(got: Any, form: Any) -> bool:
    try:
        left, right = float.fromhex(got["float"]), float.fromhex(form["float"])
    except (KeyError, TypeError, ValueError, OverflowError):
        return False
    return abs(left - right) <= 1e-4 + 1e-4 * abs(right)
