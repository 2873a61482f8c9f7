"""A finished verification as its page shows it: the report's JSON turned into numbers, words and charts."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from eval_app import charts, meanings
from eval_app.models import Finding, Verification
from eval_app.verify import Outcome

SEVERITY_ORDER = {"reject": 0, "audit": 1, "label": 2}
BASELINE_NAMES = {
    "eager": "eager",
    "compile": "compile",
    "max-autotune": "autotune",
    "cudagraph": "CUDA graph",
}


@dataclass(frozen=True)
class Evidence:
    """One verification, its report's JSON, its findings; read, never changed."""

    verification: Verification
    report: dict[str, Any]
    findings: list[Finding]

    @property
    def sentence(self) -> str:
        """The outcome and why: the engine's own words, else what the outcome means."""
        return self.verification.detail or self.meaning.says

    @property
    def first_line(self) -> str:
        return self.sentence.partition("\n")[0][:400]

    @property
    def rest(self) -> str:
        """What follows the first line: tracebacks, the candidate's last words."""
        return self.sentence[len(self.first_line) :].strip()

    @cached_property
    def meaning(self) -> meanings.Meaning:
        return meanings.OUTCOMES[Outcome(self.verification.outcome)]

    @cached_property
    def sorted_findings(self) -> list[Finding]:
        return sorted(self.findings, key=lambda finding: SEVERITY_ORDER.get(finding.severity, 3))

    # --- correctness ---

    @property
    def correctness(self) -> dict[str, Any] | None:
        return self.report.get("correctness")

    @property
    def mismatches(self) -> list[dict[str, Any]]:
        return (self.correctness or {}).get("mismatches") or []

    @property
    def mismatch_percent(self) -> float:
        return 100 * float((self.correctness or {}).get("mismatch_share", 0.0))

    @cached_property
    def heat_map(self) -> charts.HeatMap | None:
        return charts.heat_map(self.mismatches)

    # --- timing ---

    @property
    def timing(self) -> dict[str, Any] | None:
        return self.report.get("timing")

    @cached_property
    def spreads(self) -> dict[str, dict[str, Any]]:
        """The kernel first, then what it is measured against."""
        timing = self.timing
        if not timing:
            return {}
        named = {BASELINE_NAMES.get(name, name): spread for name, spread in timing["baselines"].items()}
        return {"kernel": timing["candidate"], **named}

    @cached_property
    def strip_plot(self) -> charts.StripPlot | None:
        return charts.strip_plot(self.spreads, (self.timing or {}).get("floor_ms")) if self.spreads else None

    @property
    def claim_ratio(self) -> float | None:
        """Measured over claimed speedup; None where either is missing."""
        claimed, measured = self.verification.sample.claimed_speedup, self.verification.speedup
        return measured / claimed if claimed and measured else None

    # --- the run ---

    @property
    def build(self) -> dict[str, Any] | None:
        return self.report.get("build")

    @property
    def seconds(self) -> dict[str, float]:
        return self.report.get("seconds") or {}

    @cached_property
    def seconds_bar(self) -> list[charts.Segment]:
        return charts.seconds_bar({name: s for name, s in self.seconds.items() if name != "waited"})

    @property
    def machine(self) -> list[tuple[str, Any]]:
        """Device facts, versions and the state of the clocks, as name and value."""
        state = (self.timing or {}).get("device_state") or {}
        facts = {**(self.report.get("device") or {}), **state}
        return [(name.replace("_", " "), value) for name, value in facts.items() if value not in (None, "")]

    @property
    def versions(self) -> list[tuple[str, str]]:
        return list((self.report.get("versions") or {}).items())

    @property
    def profile(self) -> list[tuple[str, Any]]:
        profile = self.report.get("profile") or {}
        return [(name.replace("_", " "), value) for name, value in profile.items() if name != "name"]

    @property
    def admission(self) -> list[tuple[str, Any]]:
        return [
            (name.replace("_", " "), value) for name, value in (self.report.get("admission") or {}).items()
        ]


def evidence_of(verification: Verification) -> Evidence:
    """Read one finished verification's evidence: two queries."""
    report = getattr(verification, "report", None)
    return Evidence(verification, report.report if report else {}, list(verification.findings.all()))
