"""Which of a sample's verifications speaks for it, for every part of a page that shows one."""

from __future__ import annotations

from django.db.models import prefetch_related_objects

from datasets_app.browse.newest_evidence import Evidence
from datasets_app.models import Sample, Verification
from eval_app.pages.history import rows_of


def newest(rows: list[Verification]) -> Verification | None:
    """The one that finished last; of two at one moment the one that was asked for later. A fault of ours hides no
    evidence: it counts where there is nothing else."""
    finished = [(row.finished_at, row) for row in rows if row.state == "done"]
    dated = [(at, row) for at, row in finished if at]
    said = [(at, row) for at, row in dated if row.outcome != "infra_error"] or dated
    return max(said, key=lambda pair: pair[0])[1] if said else None


def newest_evidence(sample: Sample) -> Evidence:
    """One query beside that of the sample's verifications, which the page's other parts share."""
    rows = rows_of(sample)
    waiting = next((row.state for row in rows if not row.is_finished), "")
    found = newest(rows)
    if found is None:
        return Evidence(waiting=waiting)
    prefetch_related_objects([found], "findings")
    findings = tuple(found.findings.all())
    return Evidence(found.device, found.speedup_low, found.speedup_high, waiting, findings)
