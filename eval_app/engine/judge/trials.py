"""The trials: does the candidate compute the truth, every time, on values that it could not foresee?"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

import torch

from eval_app.engine.contract.profiles import Profile
from eval_app.engine.judge import families
from eval_app.engine.judge.cases import Case, CaseMaker, same_bits
from eval_app.engine.judge.compare import Tolerance, compare
from eval_app.engine.judge.conduct import compare_plain, overwritten_input, truth_aliases
from eval_app.engine.judge.contention import busy
from eval_app.engine.judge.diagnosis import Diagnosis, TruthHistory
from eval_app.engine.judge.output_digest import digest_of
from eval_app.engine.judge.record import Compared, Record
from eval_app.engine.judge.session import CallResult, Session
from eval_app.engine.judge.verdicts import RejectedError, finding
from eval_app.engine.shared.trees import unflatten

# Of 1,500 draws of attention on scaled-up values, a kernel of another order of sums is wrong in 112; one nudge of the
# inputs does not move the reference in 10 of these, three in 1, eight in none.
_NUDGES = 6
_ALIAS_TEXT = "an output shares its memory with an input"


class Trials:
    """Runs cases through a session and collects the evidence."""

    def __init__(self, session: Session, maker: CaseMaker, profile: Profile) -> None:
        """Prepare the tolerances; no call is made."""
        self.session, self.maker, self._profile = session, maker, profile
        self._tolerance = Tolerance(profile.tolerance_fp32, profile.tolerance_half, profile.tolerance_fp64)
        # Tolerance on the task's own values; tightened if the task was calibrated.
        self.own_tolerance = self._tolerance
        self.trials = 0
        self.is_timed = profile.timings_max > 0
        # Whether KernelBench's allclose agrees, for each call on the task's own values whose outputs are right.
        self.own_agreement: list[bool] = []
        self.record = Record()
        # Whether calls are listed individually: those of the timing are not.
        self.listing = True
        self.families: list[str] = []
        self.skipped: dict[str, str] = {}
        self.findings: dict[str, dict[str, Any]] = {}
        self.weights = "none"
        self.weights_detail = ""
        self.history = TruthHistory()
        self.first: Case | None = None
        self._diagnosis = Diagnosis(self)

    def note(self, severity: str, code: str, detail: str) -> None:
        """Record a finding; the first one of each code is kept."""
        self.findings.setdefault(code, finding(severity, code, detail))

    def tolerance_of(self, case: Case) -> Tolerance:
        """Return the tolerance for one call."""
        return self.tolerance(own=case.own)

    def tolerance(self, *, own: bool) -> Tolerance:
        """Return the tolerance on the task's own values, or on others."""
        return self.own_tolerance if own else self._tolerance

    def run_all(self, first: Case) -> None:
        """Run the trials after the first call: repeats, own inputs, families."""
        self._repeat(first)
        if self._profile.under_load:
            self._repeat_under_load(first)
        for _ in range(self._profile.trials - 1):
            self.check(self.maker.make())
        for name in self._profile.families:
            self._try_family(name)
        self._look_back()

    def check_first(self, case: Case, seed: int) -> None:
        """Check the first call. A candidate that folds weights when it is built is wrong with the reference's
        weights by value, and correct with those drawn from the reference's seed: that is labelled, like
        differing names."""
        try:
            self.check(case)
        except RejectedError as error:
            if error.outcome != "wrong_value" or self.weights != "state_dict":
                raise
            before = self.trials, self.record, self.weights, self.weights_detail
            self._draw_own_weights(seed)
            try:
                self.check(case)
            except RejectedError:
                self.trials, self.record, self.weights, self.weights_detail = before
                raise error from None
            self.note("label", "weights_seeded", f"built under the reference's seed; {self.weights_detail}")

    def _draw_own_weights(self, seed: int) -> None:
        self.trials, self.record, self.history, self.first = 0, Record(), TruthHistory(), None
        self.weights = "seeded"
        self.weights_detail = (
            "they fit, but it is wrong with the reference's values: it changes them when it is built"
        )
        self.session.by_value = False
        self.session.build(seed)

    def check(self, case: Case) -> CallResult:
        """Make one call and compare it with the truth. Raises RejectedError if it differs."""
        result = self.session.run(case)
        self.trials += 1
        self._check_conduct(case, result)
        compared = self.difference(case, result)
        self.record.count(compared, self.tolerance_of(case))
        if self.listing or compared.total.wrong:
            self.record.list_trial(case, compared, self.tolerance_of(case))
        overwritten = overwritten_input(case, result, self.tolerance_of(case))
        if overwritten and compared.total.wrong:
            self.note("audit", "input_mutated", f"{overwritten} in trial {case.name}")
        if compared.total.wrong:
            self.record.add_mismatch_map(compared, self.tolerance_of(case))
            for mismatch in self.record.worst.mismatches:
                mismatch.setdefault("trial", case.name)
            self._diagnosis.reject(case, result, compared.total)
        if case.own:
            self.own_agreement.append(compared.total.allclose)
        if overwritten:
            self._reject_overwritten(case, result, overwritten)
        self.history.keep(case)
        self.first = self.first or case
        return result

    def difference(self, case: Case, result: CallResult) -> Compared:
        """Return how far the outputs of one call are from the truth.

        A reference that returns no tensor leaves its results in its inputs.
        """
        compared = Compared()
        places = [place for place, form in case.wanted if "tensor" in form]
        triples = list(zip(places, result.outputs, case.truth, strict=True))
        if not triples:
            inputs = zip(result.inputs, case.tensors, case.after, strict=True)
            triples = [(f"input {i}", got, a) for i, (got, b, a) in enumerate(inputs) if a is not b]
        for place, got, truth in triples:
            got = got.to(truth.device)
            output = compare(got, truth, self.tolerance_of(case), place)
            compared.total.add(output)
            compared.outputs.append((place, got, truth, output))
        compare_plain(case, result.reply.plain, compared.total)
        return compared

    def difference_only(self, case: Case, *, early: bool = False) -> int:
        """Return the number of elements beyond tolerance in one more call, which is not recorded."""
        return self.difference(case, self.session.run(case, early=early)).total.wrong

    def _check_conduct(self, case: Case, result: CallResult) -> None:
        if not result.reply.intact:
            text = "functions of the engine were replaced in the candidate's process"
            raise RejectedError("cheated", text, [("engine_tampered", text)])
        if not result.guards_intact:
            text = f"bytes beside the buffers were overwritten in trial {case.name}"
            raise RejectedError("illegal_memory", text, [("out_of_bounds_write", text)])
        if result.reply.aliases_input and not truth_aliases(case):
            self.note("audit", "output_aliases_input", _ALIAS_TEXT)
        if result.reply.threads and self.trials == 1:
            text = f"{result.reply.threads} threads of the candidate ran before its first call"
            self.note("audit", "background_thread", text)

    def _reject_overwritten(self, case: Case, result: CallResult, overwritten: str) -> None:
        text = f"the outputs are correct, and {overwritten} in trial {case.name}"
        findings = [("input_mutated", text)]
        if result.reply.aliases_input:
            findings.append(("output_aliases_input", _ALIAS_TEXT))
            self.findings.pop("output_aliases_input", None)
        raise RejectedError("broken_promise", text, findings)

    def _repeat(self, case: Case) -> None:
        """Repeat the same inputs: the outputs should have the same bits, and must be correct."""
        digests = None
        for _ in range(self._profile.repeats - 1):
            result = self.check(case)
            now = [digest_of(output) for output in result.outputs]
            if digests is not None and not all(same_bits(a, b) for a, b in zip(digests, now, strict=True)):
                self.note("label", "varying_bits", "repeats differ in bits, within tolerance")
            digests = now

    def _repeat_under_load(self, case: Case) -> None:
        """Repeat while the device is busy: kernels that are correct by luck of timing fail then."""
        with busy(self.maker.reference.device):
            self._repeat(case)

    def _try_family(self, name: str) -> None:
        try:
            case = self.maker.make(name)
        except families.NotApplicableError as error:
            self.skipped[name] = str(error)
            return
        reason = _unfit(name, case) or self.unsteady(case)
        if reason:
            self.skipped[name] = reason
            return
        self.check(case)
        self.families.append(name)

    def unsteady(self, case: Case) -> str:
        """Return why rounding cannot be judged on such values; empty if it can. A norm over equal values divides by a
        variance of zero and magnifies a last bit three hundred times; so do close maxima of a softmax of large ones.
        """
        if case.name not in families.MAGNIFYING:
            return ""
        moved = any(self._moves_under_nudge(case) for _ in range(_NUDGES))
        return "the reference's own output depends on the last bits of such values" if moved else ""

    def _moves_under_nudge(self, case: Case) -> bool:
        torch.manual_seed(secrets.randbits(62))  # every call of the reference sets the same seed again
        nudged = unflatten(case.tree, [families.nudge(tensor) for tensor in case.tensors])
        again = self.maker.from_inputs(case.name, nudged, case.rng)
        return any(compare(a, t, self._tolerance).wrong for a, t in zip(again.truth, case.truth, strict=True))

    def _look_back(self) -> None:
        """Check that an output stays unchanged during the next call: no late writes, no reused buffer."""
        earlier, later = self.maker.make(), self.maker.make()
        first, second = self.check(earlier), self.check(later)
        self.look_back(earlier, later, first, second)

    def look_back(self, earlier: Case, later: Case, first: CallResult, second: CallResult) -> None:
        """Compare the earlier result, copied again now, with its first copy."""
        if [s.spec for s in first.slots] != [s.spec for s in second.slots]:
            return
        before = [output.clone() for output in first.outputs]
        reused = f"the result of trial {earlier.name} was overwritten by the next call: its memory is given out twice"
        try:
            again = self.session.recopy(first.slots, back=1)
        except RejectedError as error:
            if error.outcome != "runtime_error":
                raise
            text = f"{reused}; reading it raises {error.detail}"  # torch's CUDA graphs watch over theirs
            raise RejectedError("broken_promise", text, [("output_reused", text)]) from None
        if all(same_bits(a, b) for a, b in zip(before, again, strict=True)):
            return
        as_later = [
            compare(a.to(t.device), t, self._tolerance).wrong for a, t in zip(again, later.truth, strict=True)
        ]
        if not any(as_later):
            raise RejectedError("broken_promise", reused, [("output_reused", reused)])
        text = f"the result of trial {earlier.name} changed after it was returned"
        raise RejectedError("cheated", text, [("work_after_return", text)])

    def reweigh(self, shift: Callable[[], None], restore: Callable[[], None]) -> None:
        """Replace the weights on both sides: a candidate whose output does not follow has cached the first ones."""
        shift()
        try:
            self.session.give_weights()
            case = self.maker.make()
            case.own = False
            if case.finite() and self.difference_only(case):
                self.note(
                    "label", "weights_cached", "the output does not follow when the weights are replaced"
                )
        finally:
            restore()
            self.session.give_weights()


def _unfit(name: str, case: Case) -> str:
    if not case.finite():
        return "the reference's own output is not finite on such values"
    indices = any(not (t.is_floating_point() or t.is_complex()) for t in case.truth)
    if indices and families.has_ties(name):
        return "an output holds integers, and equal values make its indices ambiguous"
    return ""
