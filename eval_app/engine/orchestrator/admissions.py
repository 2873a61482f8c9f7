"""Findings about tasks from earlier jobs, so that a task is examined once for all its candidates."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from typing import Any

from eval_app.engine.contract.jobs import Job
from eval_app.engine.orchestrator.report import TASK_FINDINGS

_KEPT = 2000


class Admissions:
    """Answers and findings by task and profile. Thread-safe."""

    def __init__(self) -> None:
        """Start empty."""
        self._by_task: OrderedDict[str, dict[str, Any]] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, job: Job) -> dict[str, Any]:
        """Return the `answers` and `findings` for the job's task; empty if it has not been examined."""
        with self._lock:
            return self._by_task.get(_digest(job), {})

    def keep(self, job: Job, verdict: dict[str, Any]) -> None:
        """Store what a verdict says about its task."""
        answers, reported = verdict.get("admission"), verdict.get("findings")
        if not isinstance(answers, dict) or not answers:
            return
        findings = [f for f in (reported if isinstance(reported, list) else []) if _is_of_task(f)]
        with self._lock:
            self._by_task[_digest(job)] = {"answers": answers, "findings": findings}
            while len(self._by_task) > _KEPT:
                self._by_task.popitem(last=False)


def _is_of_task(finding: Any) -> bool:
    return isinstance(finding, dict) and finding.get("code") in TASK_FINDINGS


def _digest(job: Job) -> str:
    return hashlib.sha256(f"{job.profile.name}\n{job.reference}".encode("utf-8", "replace")).hexdigest()
