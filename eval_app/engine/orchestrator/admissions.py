"""Findings about tasks from earlier jobs, so that a task is examined once for all its candidates."""

from __future__ import annotations

import json
from typing import Any

from eval_app.engine.contract import schema
from eval_app.engine.contract.jobs import Job
from eval_app.engine.contract.version import ENGINE_VERSION
from eval_app.engine.orchestrator.report import TASK_FINDINGS
from eval_app.engine.orchestrator.task_store import TaskStore


def find(store: TaskStore, job: Job) -> dict[str, Any]:
    """Return the `answers` and `findings` for the job's task; empty if it has not been examined."""
    found = store.find(*_key(job)) or {}
    return found if isinstance(found.get("answers"), dict) and isinstance(found.get("findings"), list) else {}


def keep(store: TaskStore, job: Job, verdict: dict[str, Any]) -> None:
    """Store what a verdict says about its task, unless the host was too busy for all questions."""
    answers, reported = verdict.get("admission"), verdict.get("findings")
    if not isinstance(answers, dict) or not answers or answers.get("incomplete"):
        return
    findings = [f for f in (reported if isinstance(reported, list) else []) if _is_of_task(f)]
    known = {"answers": answers, "findings": findings}
    if known != find(store, job):
        store.keep(known, *_key(job))


def _is_of_task(finding: Any) -> bool:
    return isinstance(finding, dict) and finding.get("code") in TASK_FINDINGS


def _key(job: Job) -> tuple[str, ...]:
    profile = json.dumps(schema.to_json(job.profile), sort_keys=True)
    return "admission", ENGINE_VERSION, profile, job.reference
