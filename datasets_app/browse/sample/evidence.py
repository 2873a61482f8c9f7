"""The evidence of a sample, for the head of its page and for the review page."""

from __future__ import annotations

import re
from dataclasses import dataclass

from django.db.models import prefetch_related_objects

from datasets_app.browse.sample.verifications import current_rows
from datasets_app.models import Evidence, Finding, Outcome, Sample, Verification
from datasets_app.models.finding import gravest_first
from datasets_app.models.outcome import UNDECIDED

COMPILER_ERROR = re.compile(r"\berror\b", re.IGNORECASE)
PLACE = re.compile(r"^\S+?[:(]\d+[:\d)]*\s+")  # of a message: in a file of the build's
LOG = "; end of its log: "  # as the engine's details of a process that ended by itself have it
REASON_CHARS = 400


@dataclass(frozen=True)
class SampleEvidence:
    """Evidence per device, the headline first. `waiting`, `stage`: those of an unfinished verification, if any."""

    rows: list[Evidence]
    waiting: str
    stage: str = ""
    undecided: Verification | None = None  # without evidence: the last one that ended and decided nothing

    @property
    def headline(self) -> Evidence | None:
        return self.rows[0] if self.rows else None

    @property
    def findings(self) -> list[Finding]:
        """Return the findings of the headline's verification, the gravest first."""
        return gravest_first(self.shown.findings.all()) if self.shown else []

    @property
    def shown(self) -> Verification | None:
        """Return the verification that the head tells about."""
        return self.rows[0].verification if self.rows else self.undecided

    @property
    def reason(self) -> str:
        """Return why the shown verification did not pass, in one line; empty if it did."""
        return reason_of(self.shown) if self.shown else ""


def reason_of(verification: Verification) -> str:
    """Return the first line of the detail of a verification that did not pass; of a failed build the first error
    without its place.

    Of a log that is quoted, the last line says what happened. Without a detail it is the one of the gravest finding; a
    verification that passed has no reason.
    """
    if verification.outcome == Outcome.PASSED:
        return ""
    findings = gravest_first(verification.findings.all())
    detail, _, log = (verification.detail or (findings[0].detail if findings else "")).partition(LOG)
    lines = lines_of(detail)
    if verification.outcome == Outcome.BUILD_ERROR:
        lines = [PLACE.sub("", line[:REASON_CHARS]) for line in lines if COMPILER_ERROR.search(line)] or lines
    return ": ".join([*lines[:1], *lines_of(log)[-1:]])[:REASON_CHARS]


def lines_of(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def evidence_of(sample: Sample) -> SampleEvidence:
    """Return a sample's evidence; two queries, of which the parts of its page share the first, and at most two more."""
    rows = current_rows(sample)
    # Of several the newest that runs, else the newest that is queued.
    unfinished = [row for row in rows if not row.is_finished]
    waiting = max(unfinished, key=lambda row: (row.state, row.created_at, row.pk), default=None)
    counted = [row for row in rows if hasattr(row, "evidence")]
    prefetch_related_objects(counted, "findings")
    evidence = sorted((row.evidence for row in counted), key=lambda one: (not one.is_headline, one.device))
    undecided = None
    if not evidence and sample.outcome in UNDECIDED:
        ended = sample.verifications.filter(outcome=sample.outcome).order_by("-finished_at", "-id")
        undecided = ended.prefetch_related("findings").first()
    state, stage = (waiting.state, waiting.stage) if waiting else ("", "")
    return SampleEvidence(evidence, state, stage, undecided)
