"""What a report gets beside its verdict, once that is known: further baselines, the kernels that ran, their code.

Nothing here can change an outcome; what cannot be had is in the report as missing, with the reason.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from eval_app.engine import baselines, solo, timed
from eval_app.engine import peaks as device_peaks
from eval_app.engine.attempt import Course
from eval_app.engine.baselines import Baselines, BaselineStore
from eval_app.engine.builds import Builder, JobBuilds
from eval_app.engine.checked import ContractError
from eval_app.engine.contract import Finding, Job, Outcome, Report
from eval_app.engine.device import Device
from eval_app.engine.host import HostLostError
from eval_app.engine.inspect import look, ownership, watched
from eval_app.engine.inspect.found import Inspection
from eval_app.engine.inspect.watched import Subject
from eval_app.engine.lane import Lane
from eval_app.engine.peaks import Peaks

_PEAKS_TIMEOUT_S = 60.0
_PEAKS_MEMORY_BYTES = 8 * 2**30


@dataclass(frozen=True)
class Surroundings:
    """Whom a job ran with."""

    lane: Lane
    # What was built for it, and by whom.
    builds: JobBuilds
    builder: Builder
    on_stage: Callable[[str, str], None]
    cancelled: Callable[[], bool]

    @property
    def modules(self) -> dict[str, Path]:
        """Built files by their keys."""
        return {key: result.module_path for key, result in self.builds.results.items() if result.module_path}


class Aftermath:
    """For one device; keeps what was measured once."""

    def __init__(
        self, device: Device, cache_dir: Path, sandbox: str, versions: Callable[[], dict[str, str]]
    ) -> None:
        """Baselines and peaks are kept in a folder beside the built modules; `versions` is asked when first needed."""
        self._device, self._folder, self._sandbox = device, cache_dir / "baselines", sandbox
        self._versions = versions
        self._store: BaselineStore | None = None
        self._peaks: Peaks | None = None

    def _kept(self) -> BaselineStore:
        if self._store is None:
            self._store = BaselineStore(self._folder, dict(self._device.facts), self._versions())
        return self._store

    def peaks(self, lane: Lane, course: Course) -> Peaks | None:
        """The device's, from a table or measured once; None where nothing was timed. The caller holds the lane."""
        if not (course.verdict or {}).get("timing"):
            return None
        if self._peaks is None:
            self._peaks = device_peaks.known(dict(self._device.facts)) or self._measured(lane)
        return self._peaks

    def _measured(self, lane: Lane) -> Peaks | None:
        rates = self._kept().find("peaks")
        try:
            if rates is None:
                order = {"question": "peaks"}
                rates = solo.ask(lane.judge, order, _PEAKS_TIMEOUT_S, _PEAKS_MEMORY_BYTES, lambda: False)
                self._kept().keep(rates, "peaks")
            return device_peaks.measured(rates, dict(self._device.facts))
        except (solo.NoAnswerError, KeyError, TypeError, ValueError):
            return None

    def add(self, report: Report, job: Job, course: Course, around: Surroundings) -> Report:
        """The report with all that its job and profile ask for beyond the verdict."""
        report = self._add_trace(report, job, course, around)
        if report.timing is not None and report.outcome is Outcome.PASSED:
            beyond = timed.beyond_roofline(report.timing) if self._device.kind == "cuda" else None
            report = _with(self._add_baselines(report, job, around), beyond)
        if job.inspect or (job.profile.sanitize and report.outcome is Outcome.PASSED):
            report = self._add_inspection(report, job, course, around)
        return report

    def _add_trace(self, report: Report, job: Job, course: Course, around: Surroundings) -> Report:
        if report.outcome is not Outcome.PASSED or not (job.profile.trace or job.inspect):
            return report
        given = (course.verdict or {}).get("trace")
        trace = ownership.read_trace(given, job.candidate, around.modules.values())
        return _with(replace(report, profile_trace=trace), ownership.mostly_library(trace))

    def _add_baselines(self, report: Report, job: Job, around: Surroundings) -> Report:
        assert report.timing is not None
        if not job.profile.baselines:
            return report
        started = time.monotonic()
        around.on_stage("baselines", "")
        eager_ms = report.timing.baselines["eager"].median_ms
        with around.lane.lock:
            waited_s = time.monotonic() - started
            found = self._baselines(job, eager_ms, around)
        timing = timed.with_baselines(report.timing, found)
        return _spent(replace(report, timing=timing), "baselines", time.monotonic() - started - waited_s)

    def _baselines(self, job: Job, eager_ms: float, around: Surroundings) -> Baselines:
        try:
            return baselines.gather(job, around.lane.judge, eager_ms, self._kept(), around.cancelled)
        except HostLostError as error:
            around.lane.restart()
            text = f"the lane broke while they were measured: {error}"[:300]
            return Baselines(missing=dict.fromkeys(job.profile.baselines[:8], text))

    def _add_inspection(self, report: Report, job: Job, course: Course, around: Surroundings) -> Report:
        started = time.monotonic()
        around.on_stage("inspect", "")
        modules = {key: str(path) for key, path in around.modules.items()}
        fingerprint = around.builder.toolchain().fingerprint if modules else ""
        subject = Subject(
            job.candidate, job.reference, self._device.kind, self._device.index, modules, fingerprint, self._sandbox
        )  # fmt: skip
        with around.lane.lock:
            waited_s = time.monotonic() - started
            inspection = self._inspect(report, job, course, subject)
        finding = watched.sanitizer_finding(inspection.sanitizer) if inspection.sanitizer else None
        report = _with(replace(report, inspection=inspection), finding)
        return _spent(report, "inspect", time.monotonic() - started - waited_s)

    def _inspect(self, report: Report, job: Job, course: Course, subject: Subject) -> Inspection:
        if not job.inspect:
            return look.memory_only(subject)
        trace = (course.verdict or {}).get("trace")
        given = trace.get("triton") if isinstance(trace, dict) else None
        triton = [item for item in given if isinstance(item, dict)] if isinstance(given, list) else []
        try:
            return look.everything(subject, triton, runs=report.outcome is Outcome.PASSED)
        except ContractError as error:
            return Inspection(
                missing={"inspection": f"what the tools said does not fit a report: {error}"[:500]}
            )


def _with(report: Report, finding: Finding | None) -> Report:
    if finding is None or len(report.findings) >= 100:
        return report
    return replace(report, findings=[*report.findings, finding])


def _spent(report: Report, stage: str, seconds: float) -> Report:
    spent: dict[str, Any] = {
        stage: round(seconds, 4),
        "total": round(report.seconds.get("total", 0.0) + seconds, 4),
    }
    return replace(report, seconds=report.seconds | spent)
