"""The program's lines beside the SASS of a report: compiled and read after the lane was given back."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from eval_app.engine.build.plan import device_texts
from eval_app.engine.build.request import with_line_records
from eval_app.engine.contract import schema
from eval_app.engine.contract.inspection import Inspection
from eval_app.engine.contract.jobs import Job, Report
from eval_app.engine.contract.printable import printable
from eval_app.engine.inspect import inspections, source_lines
from eval_app.engine.inspect.source_lines import NoLinesError, Recorded
from eval_app.engine.orchestrator.attempt_trace import AttemptTrace
from eval_app.engine.orchestrator.builds import Builder, JobBuilds
from eval_app.engine.orchestrator.post_verdict import add_seconds, triton_of

_CANDIDATE_FILE = "candidate.py"
_PART = "sass_lines"


def with_source_lines(
    report: Report, job: Job, attempt: AttemptTrace, builds: JobBuilds, builder: Builder, sandbox: str,
    cancelled: Callable[[], bool],
) -> Report:  # fmt: skip
    """Return the report with the lines, or the reason that they are missing; unchanged if it has no SASS."""
    if report.inspection is None or not report.inspection.sass:
        return report
    started = time.monotonic()
    try:
        lines = _lines(report.inspection.sass, job, attempt, builds, builder, sandbox, cancelled)
        inspection = schema.read(
            Inspection, schema.to_json(replace(report.inspection, sass_lines=lines)), "inspection"
        )
    except Exception as error:  # whatever a candidate's cubin holds, its verdict stands
        missing = report.inspection.missing | {_PART: printable(str(error))[:500]}
        inspection = replace(report.inspection, missing=missing)
    report = replace(report, inspection=inspection)
    return add_seconds(report, "source_lines", time.monotonic() - started)


def _lines(
    sass: str, job: Job, attempt: AttemptTrace, builds: JobBuilds, builder: Builder, sandbox: str,
    cancelled: Callable[[], bool],
) -> list[int]:  # fmt: skip
    modules = _rebuilt(builds, builder, job.profile.build_timeout_s, cancelled)
    with inspections.cubins(triton_of(attempt)) as cubins:
        modules += [Recorded(path, {_CANDIDATE_FILE: job.candidate}) for path in cubins]
        return source_lines.source_lines(sass, modules, job.candidate, sandbox)


def _rebuilt(
    builds: JobBuilds, builder: Builder, timeout_s: float, cancelled: Callable[[], bool]
) -> list[Recorded]:
    """Return the job's device code, compiled once more with line records."""
    modules = []
    for request in builds.requests.values():
        recorded = with_line_records(request)
        if recorded is None:
            continue
        again = JobBuilds()
        builder.build(recorded, again, timeout_s, cancelled)
        [result] = again.results.values()
        if result.module_path is None:
            raise NoLinesError(f"the compilation with line records failed: {result.error}")
        modules.append(Recorded(Path(result.module_path), device_texts(recorded)))
    return modules
