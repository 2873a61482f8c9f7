"""The evidence of a sample, for the head of its page and for the review page."""

from __future__ import annotations

from dataclasses import dataclass

from datasets_app.models import Evidence, Finding, Sample, Verification


@dataclass(frozen=True)
class SampleEvidence:
    """Evidence per device, the headline first. `waiting` is the state of an unfinished verification, if any."""

    rows: list[Evidence]
    waiting: str

    @property
    def headline(self) -> Evidence | None:
        return self.rows[0] if self.rows else None

    @property
    def findings(self) -> list[Finding]:
        """Findings of the headline's verification."""
        return list(self.rows[0].verification.findings.all()) if self.rows else []


def evidence_of(sample: Sample) -> SampleEvidence:
    """Return a sample's evidence; three queries."""
    rows = Evidence.objects.filter(sample=sample).reference_first()
    unfinished = Verification.objects.unfinished().filter(sample=sample).order_by("-created_at", "-id")
    waiting = unfinished.values_list("state", flat=True).first() or ""
    evidence = rows.select_related("verification").prefetch_related("verification__findings")
    return SampleEvidence(list(evidence), waiting)
