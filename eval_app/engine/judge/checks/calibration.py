"""The calibration of a task: again before its candidate is loaded, where that may have taken the memory for it."""

from __future__ import annotations

from typing import Any

from eval_app.engine.contract.profiles import Profile
from eval_app.engine.judge.checks.trials import Trials, usual_tolerance
from eval_app.engine.judge.last_bits import calibrate
from eval_app.engine.judge.last_bits.neighbours import is_number
from eval_app.engine.judge.task.cases import Case, CaseMaker


class Calibration:
    """Holds the answers about a task's errors; none if the profile asks for no calibration."""

    def __init__(self, order: dict[str, Any], profile: Profile) -> None:
        """Read the answers of an earlier job from the judge's order."""
        self._profile = profile
        self._earlier: dict[str, Any] = (order.get("admission") or {}).get("answers") or {}
        # Whether the candidate is not loaded until the reference is prepared.
        self._reference_first = order.get("reference_first") is True
        self.answers: dict[str, Any] = {}

    def prepare(self, maker: CaseMaker, case: Case) -> None:
        """Measure while no candidate is there, if it is loaded later."""
        if self._reference_first and self._profile.calibrate:
            self._measure(maker, case)

    def tighten(self, maker: CaseMaker, trials: Trials, first: Case) -> None:
        """Tighten the tolerance for the task's own values if the profile asks for it."""
        if not self._profile.calibrate:
            return
        if not self.answers:
            self._measure(maker, first)
        trials.own_tolerance = calibrate.tightened(trials.own_tolerance, first, self.answers)
        reason = self.answers.get("calibration_skipped")
        if reason and any(map(is_number, first.truth)):
            text = f"KernelBench's tolerance holds, because this task's own is not known: {reason}"
            trials.note("label", "uncalibrated", text)

    def _measure(self, maker: CaseMaker, case: Case) -> None:
        self.answers = self._earlier
        if not {"calibrated_rtol", "calibration_skipped"} & set(self._earlier):
            self.answers = calibrate.calibrate(maker, [case, maker.make()], usual_tolerance(self._profile))

    @property
    def is_short_of_memory(self) -> bool:
        """Return whether the task is not calibrated for want of memory, which the candidate may have taken."""
        skipped = self.answers.get("calibration_skipped") == calibrate.NO_MEMORY
        return skipped and not (self._earlier or self._reference_first)
