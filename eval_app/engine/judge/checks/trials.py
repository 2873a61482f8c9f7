"""The trials: does the candidate compute the truth, every time, on values that it could not foresee?"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import torch

from eval_app.engine.contract.profiles import Profile
from eval_app.engine.judge.calls.conduct import Results, compare_plain, given_in, overwritten_input
from eval_app.engine.judge.calls.contention import busy
from eval_app.engine.judge.calls.diagnosis import Diagnosis, TruthHistory
from eval_app.engine.judge.calls.record import Compared, Record
from eval_app.engine.judge.calls.session import CallResult, Session
from eval_app.engine.judge.checks.family_trials import FamilyTrials
from eval_app.engine.judge.comparison.compare import Difference, Tolerance, compare
from eval_app.engine.judge.comparison.explained import joined
from eval_app.engine.judge.comparison.pointing import PLACES
from eval_app.engine.judge.comparison.wrong_output import Output
from eval_app.engine.judge.last_bits.honest_error import HonestError
from eval_app.engine.judge.last_bits.neighbours import neighbours
from eval_app.engine.judge.task.cases import Case, CaseMaker, same_bits
from eval_app.engine.judge.values import unvaried
from eval_app.engine.judge.values.output_digest import digest_of
from eval_app.engine.judge.verdicts import RejectedError, UnprovenError, UnreviewedError, finding

# Of a job's time, for calls of the reference that tell whether a difference is an honest error.
_REVIEW_SHARE = 1 / 2
_ALIAS_TEXT = "an output shares its memory with an input"


def usual_tolerance(profile: Profile) -> Tolerance:
    """Return the tolerance that a profile gives before a task is calibrated."""
    return Tolerance(profile.tolerance_fp32, profile.tolerance_half, profile.tolerance_fp64)


class Trials:
    """Runs cases through a session and collects the evidence."""

    def __init__(self, session: Session, maker: CaseMaker, profile: Profile) -> None:
        """Prepare the tolerances; no call is made."""
        self.session, self.maker, self._profile = session, maker, profile
        self._tolerance = usual_tolerance(profile)
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
        # Whether its result has memory of its own, which no later inputs overwrite.
        self.first_is_own = False
        self._diagnosis = Diagnosis(self)
        # The model is another one under each configuration.
        self._honest_error = HonestError(
            lambda case, keeping: neighbours(
                maker.reference.model, case, keeping, domain=maker.reference.domain
            ),
            lambda case: self._families.settles_places(case),
        )
        self._families = FamilyTrials(self)
        self.allow_reviews(_REVIEW_SHARE)

    def allow_reviews(self, share: float) -> None:
        """Set which share of the job's time reviews of differences may take from now on; after that they raise
        UnreviewedError."""
        self._honest_error.allow(share * self._profile.total_timeout_s)

    def note(self, severity: str, code: str, detail: str) -> None:
        """Record a finding; the first one of each code is kept."""
        self.findings.setdefault(code, finding(severity, code, detail))

    def evidence(self) -> dict[str, Any]:
        """Return what the trials and their comparisons showed, in its JSON form."""
        return self.record.evidence() | {
            "trials": self.trials, "families": ["natural", *self.families], "skipped": self.skipped,
            "weights": self.weights,
        }  # fmt: skip

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
        self._families.run(self._profile.families)

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
        """Make one call and compare it with the truth. Raises RejectedError if it differs, UnprovenError where last
        bits of a family's values may explain that: two reviews of one difference do not always agree."""
        if self.listing:  # between timed calls it would have to be taken again, within the reference's time
            self.session.release_cache()
        result = self.session.run(case)
        self.trials += 1
        self._check_conduct(case, result)
        compared = self.difference(case, result)
        if compared.total.wrong and (reason := self.unsteady(case, compared.total)):
            raise UnprovenError(reason)
        self.record.count(compared, self.tolerance_of(case))
        if self.listing or compared.total.wrong:
            self.record.list_trial(case, compared, self.tolerance_of(case))
        overwritten = overwritten_input(case, result, self.reviewed)
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
        if self.first is None:
            self.first, self.first_is_own = case, not result.reply.aliases_input
        return result

    def difference(self, case: Case, result: CallResult) -> Compared:
        """Return how far the outputs of one call are from the truth, beyond the reference's own error.

        A reference that returns no tensor leaves its results in its inputs.
        """
        compared = self.reviewed(case, given_in(case, result))
        compare_plain(case, result.reply.plain, compared.total, self._honest_error.explained)
        self._note_forgiven(case, compared.total)
        return compared

    def shares_input(self, output: int) -> bool:
        """Return whether an output, by its number, may share memory with inputs: the reference's does, or those of the
        candidate do, which is a finding."""
        return "output_aliases_input" in self.findings or bool(self.first and output in self.first.aliases)

    def reviewed(self, case: Case, outputs: list[torch.Tensor]) -> Compared:
        """Compare tensors with the case's results."""
        tolerance, compared = self.tolerance_of(case), Compared()
        places = [place for place, form in case.wanted if "tensor" in form]
        places = places or [f"input {number}" for number in case.overwritten]
        triples = [(p, got.to(t.device), t) for p, got, t in zip(places, outputs, case.results, strict=True)]
        if case.name == unvaried.FAMILY:  # among equal values any place is right
            triples = [(p, t if t.dtype in PLACES else got, t) for p, got, t in triples]
        found = [(place, got, t, compare(got, t, tolerance, place)) for place, got, t in triples]
        compared.outputs = self._review(case, found, tolerance)
        compared.total = joined([difference for *_, difference in compared.outputs])
        self._note_forgiven(case, compared.total)
        return compared

    def _review(self, case: Case, found: list[Output], tolerance: Tolerance) -> list[Output]:
        """Return the outputs as a review leaves them. Runs of the reference are drawn at random: what one review of two
        explains is explained."""
        outputs = self._honest_error.review(case, found, tolerance)
        if any(difference.wrong for *_, difference in outputs):
            with suppress(UnreviewedError):
                again = self._honest_error.review(case, found, tolerance)
                return outputs if any(difference.wrong for *_, difference in again) else again
        return outputs

    def _note_forgiven(self, case: Case, total: Difference) -> None:
        if total.forgiven and not total.wrong:
            text = (
                f"{total.forgiven} of {total.total} elements differ in trial {case.name} where the "
                "reference itself does when the last bits of its inputs change"
            )
            self.note("label", "rounding_decides", text)

    def another_difference(self, case: Case, *, early: bool = False) -> Difference:
        """Return how far the outputs of one more call, which is not recorded, are from the truth."""
        return self.another_call(case, early=early)[0]

    def another_call(self, case: Case, *, early: bool = False) -> tuple[Difference, Results | None]:
        """Return how far the outputs of one more call, which is not recorded, are from the truth, and if they are wrong
        these outputs."""
        result = self.session.run(case, early=early)
        found = self.difference(case, result).total
        return found, Results.of(case, result) if found.wrong else None

    def gives_right_ones(self, case: Case, wrong: Results) -> bool:
        """Return whether one more call, which is not recorded, gives right results, and others than these: of equal
        ones a review may say now this and now that."""
        result = self.session.run(case)
        is_right = not self.difference(case, result).total.wrong
        return is_right and not wrong.same(Results.of(case, result))

    def gives_other_places(self, case: Case) -> bool:
        """Return whether one more call, which is not recorded, gives other integers than the reference."""
        pairs = zip(given_in(case, self.session.run(case)), case.results, strict=True)
        return any(t.dtype in PLACES and not torch.equal(got.to(t.device), t) for got, t in pairs)

    def difference_only(self, case: Case, *, early: bool = False) -> int:
        """Return the number of elements beyond tolerance in one more call, which is not recorded."""
        return self.another_difference(case, early=early).wrong

    def _check_conduct(self, case: Case, result: CallResult) -> None:
        if not result.reply.intact:
            text = "functions of the engine were replaced in the candidate's process"
            raise RejectedError("cheated", text, [("engine_tampered", text)])
        if not result.guards_intact:
            text = f"bytes beside the buffers were overwritten in trial {case.name}"
            raise RejectedError("illegal_memory", text, [("out_of_bounds_write", text)])
        if result.reply.aliases_input and not case.aliases:
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

    def unsteady(self, case: Case, found: Difference) -> str:
        """Return why rounding explains the wrong elements of a call on such values; empty if it does not."""
        return self._families.unsteady(case, found)
