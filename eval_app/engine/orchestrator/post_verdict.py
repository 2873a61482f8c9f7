"""Additions to a report after its verdict: further baselines, the kernels that ran, their machine code.

Nothing here can change an outcome; missing parts are listed in the report with the reason. The caller holds the lane
throughout.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from eval_app.engine.contract import schema
from eval_app.engine.contract.inspection import Inspection
from eval_app.engine.contract.jobs import Finding, Job, Outcome, Report
from eval_app.engine.contract.printable import printable
from eval_app.engine.hardware import device_peaks
from eval_app.engine.hardware.device_peaks import Peaks
from eval_app.engine.inspect import inspections, ownership, runtime_tools
from eval_app.engine.inspect.runtime_tools import Subject
from eval_app.engine.orchestrator import baselines, timing_report
from eval_app.engine.orchestrator.attempt_trace import AttemptTrace
from eval_app.engine.orchestrator.baselines import Baselines
from eval_app.engine.orchestrator.builds import Builder, JobBuilds
from eval_app.engine.orchestrator.lane import Lane
from eval_app.engine.orchestrator.queries import NoAnswerError
from eval_app.engine.orchestrator.task_store import TaskStores
from eval_app.engine.sandbox.zygote_host import HostLostError

_PEAKS_TIMEOUT_S = 60.0
_PEAKS_MEMORY_BYTES = 8 * 2**30


@dataclass(frozen=True)
class JobContext:
    """The lane of a job, the builds for it, and its callbacks."""

    lane: Lane
    builds: JobBuilds
    on_stage: Callable[[str, str], None]
    cancelled: Callable[[], bool]

    @property
    def modules(self) -> dict[str, Path]:
        """Return the built files by key."""
        return {key: result.module_path for key, result in self.builds.results.items() if result.module_path}


class PostVerdict:
    """Adds to the reports of all lanes and stores on disk what is measured once. Thread-safe: two lanes may
    measure twice."""

    def __init__(self, stores: TaskStores, builder: Builder, sandbox: str) -> None:
        """Store where baselines and peaks are kept."""
        self._stores, self._builder, self._sandbox = stores, builder, sandbox
        self._peaks: dict[str, Peaks | None] = {}

    def peaks(self, lane: Lane, attempt: AttemptTrace) -> Peaks | None:
        """Return the device's peaks, from a table or measured once; None if nothing was timed."""
        if not (attempt.verdict or {}).get("timing"):
            return None
        device = lane.device
        if device.name not in self._peaks:
            self._peaks[device.name] = device_peaks.from_table(dict(device.facts)) or self._measured_peaks(
                lane
            )
        return self._peaks[device.name]

    def _measured_peaks(self, lane: Lane) -> Peaks | None:
        store = self._stores.of(lane.device)
        rates = store.find("peaks")
        try:
            if rates is None:
                with lane.queries() as queries:
                    rates = queries.ask(
                        {"query": "peaks"}, _PEAKS_TIMEOUT_S, _PEAKS_MEMORY_BYTES, lambda: False
                    )
                if "missing" not in rates:  # the next job asks again
                    store.keep(rates, "peaks")
            return device_peaks.from_measurement(rates, dict(lane.device.facts))
        except (NoAnswerError, KeyError, TypeError, ValueError):
            return None

    def add(self, report: Report, job: Job, attempt: AttemptTrace, context: JobContext) -> Report:
        """Return the report with everything that its job and profile request beyond the verdict."""
        report = self._add_trace(report, job, attempt, context)
        if report.timing is not None and report.outcome is Outcome.PASSED:
            on_gpu = context.lane.device.kind == "cuda"
            beyond = timing_report.beyond_roofline(report.timing) if on_gpu else None
            report = _with(self._add_baselines(report, job, context), beyond)
        if job.inspect or (job.profile.sanitize and report.outcome is Outcome.PASSED):
            report = self._add_inspection(report, job, attempt, context)
        return report

    def _add_trace(self, report: Report, job: Job, attempt: AttemptTrace, context: JobContext) -> Report:
        if report.outcome is not Outcome.PASSED or not (job.profile.trace or job.inspect):
            return report
        kernels = (attempt.verdict or {}).get("trace")
        trace = ownership.read_trace(kernels, job.candidate, context.modules.values())
        return _with(replace(report, profile_trace=trace), ownership.mostly_library(trace))

    def _add_baselines(self, report: Report, job: Job, context: JobContext) -> Report:
        assert report.timing is not None
        if not job.profile.baselines:
            return report
        started = time.monotonic()
        context.on_stage("baselines", "")
        measured = self._baselines(job, report.timing.single_reference_ms, context)
        timing = timing_report.with_baselines(report.timing, measured)
        return add_seconds(replace(report, timing=timing), "baselines", time.monotonic() - started)

    def _baselines(self, job: Job, eager_ms: float, context: JobContext) -> Baselines:
        lane = context.lane
        try:
            return baselines.gather(
                job,
                lane,
                eager_ms,
                self._stores.of(lane.device),
                context.cancelled,
            )
        except HostLostError as error:
            lane.start()  # the next job waits until it is ready
            text = f"the lane broke during the measurement: {error}"[:300]
            return Baselines(missing=dict.fromkeys(job.profile.baselines[:8], text))

    def _add_inspection(self, report: Report, job: Job, attempt: AttemptTrace, context: JobContext) -> Report:
        started = time.monotonic()
        context.on_stage("inspect", "")
        context.lane.rotation.drain()
        device, modules = context.lane.device, {key: str(path) for key, path in context.modules.items()}
        fingerprint = self._builder.toolchain().fingerprint if modules else ""
        subject = Subject(
            job.candidate, job.reference, device.kind, device.index, modules, fingerprint, self._sandbox
        )  # fmt: skip
        inspection = self._inspect(report, job, attempt, subject)
        finding = runtime_tools.sanitizer_finding(inspection.sanitizer) if inspection.sanitizer else None
        report = _with(replace(report, inspection=inspection), finding)
        return add_seconds(report, "inspect", time.monotonic() - started)

    def _inspect(self, report: Report, job: Job, attempt: AttemptTrace, subject: Subject) -> Inspection:
        """Validate the tools' output against the contract: it derives from a candidate's text."""
        passed = report.outcome is Outcome.PASSED
        try:
            if job.inspect:
                inspection = inspections.full_inspection(subject, triton_of(attempt), runs=passed)
            else:
                inspection = inspections.memory_inspection(subject)
            return schema.read(Inspection, schema.to_json(inspection), "inspection")
        except Exception as error:  # whatever a candidate has a tool say, it is no fault of the engine's
            text = f"the tools' output does not fit a report: {error}"
            return Inspection(missing={"inspection": printable(text)[:500]})


def _with(report: Report, finding: Finding | None) -> Report:
    if finding is None or len(report.findings) >= 100:
        return report
    return replace(report, findings=[*report.findings, finding])


def triton_of(attempt: AttemptTrace) -> list[dict[str, Any]]:
    """Return the runner's Triton kernels."""
    trace = (attempt.verdict or {}).get("trace")
    kernels = trace.get("triton") if isinstance(trace, dict) else None
    return [item for item in kernels if isinstance(item, dict)] if isinstance(kernels, list) else []


def add_seconds(report: Report, stage: str, seconds: float) -> Report:
    """Return the report with the seconds of one more stage."""
    total_s = round(report.seconds.get("total", 0.0) + seconds, 4)
    addition: dict[str, Any] = {stage: round(seconds, 4), "total": total_s}
    return replace(report, seconds=report.seconds | addition)
