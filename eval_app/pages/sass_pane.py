"""SASS beside the kernel's source: its instructions in groups that come from one line of the program."""

from __future__ import annotations

from dataclasses import dataclass, field

from datasets_app.bounded import AnalysisError, analysed
from datasets_app.models import MachineCode, Sample
from eval_app.pages.sass_groups import BY_ADDRESS, BY_SOURCE, Grouped, grouped


@dataclass(frozen=True)
class SassPane:
    """The newest SASS of a sample; `code` is None without one. `why` says why no instruction has a line, and
    `failure` why there are no instructions."""

    code: MachineCode | None
    order: str = BY_SOURCE
    grouped: Grouped = field(default_factory=Grouped)
    why: str = ""
    failure: str = ""


def sass_pane(sample: Sample, order: str) -> SassPane:
    """Return the pane of a sample that is loaded with its body; one query."""
    listings = MachineCode.objects.filter(kind=MachineCode.Kind.SASS, verification__sample=sample)
    related = ("verification__report", "verification__environment")
    newest = ("-verification__finished_at", "-verification__created_at", "-pk")
    code = listings.select_related(*related).order_by(*newest).first()
    if code is None:
        return SassPane(None)
    report = getattr(code.verification, "report", None)
    inspection = (report.report.get("inspection") if report else None) or {}
    lines = inspection.get("sass_lines") or []
    order = BY_ADDRESS if order == BY_ADDRESS or not lines else BY_SOURCE
    try:
        shown = analysed(grouped, code.text, lines, sample.body.kernel_code, order)
    except AnalysisError as error:
        return SassPane(code, order, failure=str(error))
    return SassPane(code, order, shown, "" if lines else missing(inspection))


def missing(inspection: dict[str, dict[str, str]]) -> str:
    """Return why a report has no lines."""
    reasons = inspection.get("missing") or {}
    return reasons.get("sass_lines") or "this run kept no records of lines. Verify again to collect them"
