"""Times at declared configurations and other sizes at which the candidate is correct, by the clock of the task's own.

Only for a job that asks for a look inside. Nothing here changes the outcome: each size has trials of its own, so that
an unconfirmed time or a wrong result there is said of that size alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch

from eval_app.engine.contract.profiles import Profile
from eval_app.engine.contract.sweep import MAX_SIZES, OWN
from eval_app.engine.judge.calls.session import Session
from eval_app.engine.judge.checks.trials import Trials
from eval_app.engine.judge.clock.measurement import Measurement
from eval_app.engine.judge.task.cases import Case, CaseMaker
from eval_app.engine.judge.verdicts import ReferenceFaultError, RejectedError, RunnerLostError

# Fewer pairs than at the task's own size, whatever the profile: several sizes share the job's time.
_BUDGET_S, _PAIRS_MIN, _PAIRS_MAX, _TARGET_ERROR = 1.5, 20, 100, 0.01
# After these the candidate's process takes further orders; after others, such as a timeout, it may not.
_USABLE_AFTER = {
    "wrong_value",
    "wrong_structure",
    "nondeterministic",
    "broken_promise",
    "cheated",
    "runtime_error",
}
_SHOWN_TENSORS = 8
_ENDED = "the candidate's process ended at an earlier size"


class ShapeSweep:
    """Times one candidate at one size after another; `rows` are the raw material of contract.sweep.TimedSize."""

    def __init__(self, own: Measurement, case: Case, session: Session, trials: Trials, latest: float) -> None:
        """Begin with the row of the task's own size, measured by `own`; nothing starts later than `latest`, by
        time.monotonic."""
        self._own, self._session, self._trials, self._latest = own, session, trials, latest
        # What the task's own size took: where less is left, no other is begun.
        self._own_s = sum(own.seconds.values())
        self._ended = ""
        self.rows: list[dict[str, Any]] = [{"name": OWN, "timing": own.timing} | _described(case)]

    @property
    def seconds(self) -> float:
        """Return the seconds spent so far, which are among the measurement's."""
        return self._own.seconds.get("sweep", 0.0)

    @property
    def usable(self) -> bool:
        """Return whether the candidate's process takes further orders."""
        return not self._ended

    def end(self) -> None:
        """Time no more sizes: the candidate's process has ended."""
        self._ended = _ENDED

    def leave_out(self, name: str, reason: str, *, declared: bool) -> None:
        """Add the row of a size that is not timed."""
        if len(self.rows) < MAX_SIZES:
            self.rows.append({"name": name[:200], "declared": declared, "not_timed": reason[:500]})

    def time(self, name: str, prepare: Callable[[], CaseMaker], *, declared: bool) -> None:
        """Add the row of a size. `prepare` sets both sides up and returns the maker of its cases."""
        started = time.monotonic()
        why = self._ended or ("no time was left" if started + self._own_s > self._latest else "")
        row: dict[str, Any] = {}
        if not why:
            try:
                row = self._measured(prepare())
            except RejectedError as error:
                self._note(name, error, declared=declared)
                self._ended = "" if error.outcome in _USABLE_AFTER else _ENDED
                why = f"{error.outcome}: {error.detail}"
            except RunnerLostError:
                why, self._ended = "its process ended", _ENDED
            except ReferenceFaultError as error:
                why = f"the reference rejects it: {error}"
            except torch.OutOfMemoryError:
                why = "it does not fit into the judge's memory"
        if why:
            self.leave_out(name, why, declared=declared)
        elif len(self.rows) < MAX_SIZES:
            self.rows.append({"name": name[:200], "declared": declared} | row)
        self._own.seconds["sweep"] = self.seconds + time.monotonic() - started

    def _measured(self, maker: CaseMaker) -> dict[str, Any]:
        case = maker.make()
        self._session.release_cache()
        self._session.open(case)
        self._session.be_patient()
        profile = _shortened(self._own.profile)
        trials = Trials(self._session, maker, profile)
        trials.families, trials.listing = self._trials.families, False
        measurement = self._own.elsewhere(maker, trials, profile)
        measurement.run(case)
        return {"timing": measurement.timing} | _described(case)

    def _note(self, name: str, error: RejectedError, *, declared: bool) -> None:
        """Say in the report what was noticed, without its severity: the verdict rests on the trials."""
        severity = "audit" if declared else "label"
        for item in error.findings:
            self._trials.note(severity, item["code"], f"timed at {name}: {item['detail']}")


def _shortened(profile: Profile) -> Profile:
    return replace(
        profile, timing_budget_s=min(profile.timing_budget_s, _BUDGET_S),
        timings_min=min(profile.timings_min, _PAIRS_MIN), timings_max=min(profile.timings_max, _PAIRS_MAX),
        target_error=max(profile.target_error, _TARGET_ERROR),
    )  # fmt: skip


def _described(case: Case) -> dict[str, Any]:
    shown = [
        f"{str(tensor.dtype).removeprefix('torch.')} {'×'.join(map(str, tensor.shape)) or 'scalar'}"
        for tensor in case.tensors[:_SHOWN_TENSORS]
    ]
    more = len(case.tensors) - _SHOWN_TENSORS
    text = ", ".join([*shown, f"{more} more"] if more > 0 else shown)
    return {"inputs": text[:400], "size_bytes": case.size_bytes}
