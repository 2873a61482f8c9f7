"""What a model is told of a kernel before its next turn: outcome, compiler's log, findings, times, counters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from datasets_app.models import Outcome, Verification
from datasets_app.profiler import counters

MOST_LOG_CHARS, MOST_DETAIL_CHARS, MOST_FINDINGS = 4_000, 1_500, 8
ERROR = re.compile(r"^.*\b(?:error|undefined reference)\b", re.MULTILINE | re.IGNORECASE)
TOLD = ("reject", "audit")  # severities; labels are for people
COUNTED = "The profiler (Nsight Compute) counted, as means over the launches of the kernel that ran longest:"


def feedback_of(run: Verification, report: Mapping[str, Any]) -> str:
    """Return the feedback on the kernel of a finished verification, from its columns and its report."""
    outcome = Outcome(run.outcome).label.capitalize()
    parts = [f"{outcome} on {run.device}. {run.detail[:MOST_DETAIL_CHARS]}".strip()]
    if run.outcome == Outcome.BUILD_ERROR and (
        log := errors_of(str((report.get("build") or {}).get("log", "")))
    ):
        parts.append(f"The compiler says:\n\n```\n{log}\n```")
    if told := [one for one in report.get("findings") or [] if one.get("severity") in TOLD]:
        parts.append("\n".join(f"- {one['code']}: {one['detail']}" for one in told[:MOST_FINDINGS]))
    if run.outcome == Outcome.PASSED:
        parts.append(times_of(run))
    if counted := counters_of(report):
        parts.append(counted)
    return "\n\n".join(parts)


def errors_of(log: str) -> str:
    """Return the log from its first error on, or its end if it names none."""
    first = ERROR.search(log)
    return log[first.start() :][:MOST_LOG_CHARS] if first else log[-MOST_LOG_CHARS:]


def times_of(run: Verification) -> str:
    if run.speedup is None or run.median_ms is None or run.eager_median_ms is None:
        return "Its time could not be confirmed."
    compared = "faster than" if run.speedup > 1 else "no faster than"
    return (
        f"A call takes {run.median_ms:.4g} ms, and {run.eager_median_ms:.4g} ms in PyTorch's eager mode: "
        f"{run.speedup:.2f} times as fast, {compared} eager."
    )


def counters_of(report: Mapping[str, Any]) -> str:
    """Return the counters that tell most, with their units; empty where the run collected none."""
    metrics = (report.get("inspection") or {}).get("metrics") or {}
    lines = [
        f"{one.label}: {one.value:.4g} {one.unit}".strip() + f" ({one.name})"
        for one in counters.telling(metrics)
    ]
    lines += filter(None, [counters.occupancy(metrics)])
    return "\n".join([f"{COUNTED}\n", *(f"- {line}" for line in lines)]) if lines else ""
