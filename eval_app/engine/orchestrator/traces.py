"""Kernels that a candidate was seen to run, so that a profiler's start, 3 s in each process, is paid once a program."""

from __future__ import annotations

from typing import Any

from eval_app.engine.contract.jobs import Job
from eval_app.engine.contract.version import ENGINE_VERSION
from eval_app.engine.orchestrator.task_store import TaskStore


def find(store: TaskStore, job: Job) -> dict[str, Any] | None:
    """Return the trace of an earlier verification; none for a job that asks for the machine code as well."""
    return None if job.inspect else store.find(*_key(job))


def keep(store: TaskStore, job: Job, verdict: dict[str, Any]) -> None:
    """Store the trace of a verdict, if there is one and it shows kernels."""
    trace = verdict.get("trace")
    if not job.inspect and isinstance(trace, dict) and trace.get("kernels"):
        store.keep(trace, *_key(job))


def _key(job: Job) -> tuple[str, ...]:
    return "trace", ENGINE_VERSION, job.reference, job.candidate
