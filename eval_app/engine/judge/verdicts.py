"""The ways in which a judgement ends early. Each carries what the report needs."""

from __future__ import annotations

from typing import Any


class ReferenceFaultError(Exception):
    """The reference cannot be the truth: it fails, changes with the weather, or cannot be handed over."""


class RejectedError(Exception):
    """The candidate is refused: an outcome, a sentence, and findings with their evidence."""

    def __init__(self, outcome: str, detail: str, findings: list[tuple[str, str]] | None = None) -> None:
        """`findings` are (code, detail) pairs of severity reject."""
        super().__init__(detail)
        self.outcome, self.detail = outcome, detail
        self.findings = [finding("reject", code, text) for code, text in findings or []]


class RunnerLostError(Exception):
    """The runner is gone in the middle of an order; only the orchestrator can say why."""


def finding(severity: str, code: str, detail: str) -> dict[str, Any]:
    """A finding in its JSON form."""
    return {"code": code, "severity": severity, "detail": detail[:2000]}
