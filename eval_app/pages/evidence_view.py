"""A finished verification as its page shows it: the report's JSON turned into numbers, words and charts."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from datasets_app.browse.sample.evidence import COMPILER_ERROR, lines_of
from datasets_app.browse.task import admission
from datasets_app.models import Finding, MachineCode, Outcome, Verification
from datasets_app.models.claim_ratio import claim_ratio
from datasets_app.models.finding import gravest_first
from eval_app.pages import charts, error_charts, meanings
from eval_app.pages.inspection_view import Inspection
from eval_app.pages.kernel_notes import line_of_error
from eval_app.pages.sizes_view import Sizes
from eval_app.pages.terms import Term, terms_in
from eval_app.pages.timing_view import Times
from eval_app.pages.units import Quantity, quantity

TRIALS_SHOWN = 200
EXCUSED = "rounding_decides"  # the finding about elements that the reference's own last bits excuse
# Names that say too little where the device's facts stand beside versions.
DEVICE_FACTS = {"name": "device", "kind": "kind of device", "index": "device index", "uuid": "device uuid"}


@dataclass(frozen=True)
class EvidenceView:
    """One verification with its report's JSON and its findings; read-only."""

    verification: Verification
    report: dict[str, Any]
    findings: list[Finding]
    listings: list[MachineCode]  # without their texts

    @property
    def sentence(self) -> str:
        """Return the engine's own detail, else the meaning of the outcome."""
        return self.verification.detail or self.meaning.says

    @property
    def first_line(self) -> str:
        return self.sentence.partition("\n")[0][:400]

    @property
    def compiler_error(self) -> str:
        """Return the compiler's first error if the build failed on one; empty if it is the first line."""
        if not self.failed_to_build:
            return ""
        errors = (line for line in lines_of(self.verification.detail) if COMPILER_ERROR.search(line))
        return next((line for line in errors if line != self.first_line), "")[:400]

    @cached_property
    def line_of_error(self) -> int:
        """Return the kernel's line of the compiler's error that is shown; 0 if there is none, or no line is known."""
        shown = self.compiler_error or self.first_line
        return line_of_error(self.verification, shown) if self.failed_to_build else 0

    @property
    def failed_to_build(self) -> bool:
        return self.verification.outcome == Outcome.BUILD_ERROR

    @property
    def rest(self) -> str:
        """Return everything after the first line: tracebacks, the candidate's last output."""
        return self.sentence[len(self.first_line) :].strip()

    @property
    def passed(self) -> bool:
        return self.verification.outcome == Outcome.PASSED

    @property
    def excused(self) -> str:
        """Return which elements of a kernel that passed differ by more than the tolerance, and why that is excused;
        empty if none do."""
        if not self.passed:
            return ""
        return next((finding.detail for finding in self.findings if finding.code == EXCUSED), "")

    @property
    def kernelbench_reason(self) -> str:
        """Return why KernelBench's own protocol does not say the same as the outcome; empty if it does."""
        agrees = self.verification.kernelbench_correct
        if agrees is None or agrees == self.passed:
            return ""
        if self.excused:
            return "It excuses no element, not even one where equal values may be chosen either way."
        if agrees:
            return "It compares five draws of the task's own inputs and makes none of the other checks."
        return "Its tolerance is a fixed one, and it compares every element of five draws of the task's own inputs."

    @cached_property
    def meaning(self) -> meanings.Meaning:
        return meanings.OUTCOMES[Outcome(self.verification.outcome)]

    @cached_property
    def sorted_findings(self) -> list[Finding]:
        return gravest_first(self.findings)

    @cached_property
    def terms(self) -> list[Term]:
        """Return the words of the engine's that the verdict's reason uses."""
        return terms_in(self.verification.detail)

    @property
    def more_terms(self) -> list[Term]:
        """Return the others that the findings use."""
        used = terms_in(*(finding.detail for finding in self.findings))
        return [term for term in used if term not in self.terms]

    @property
    def parts(self) -> list[tuple[str, str]]:
        """Return the panels that this report has, in the order of the page: the beginnings of their ids, and words."""
        timing = [("timing", "Timing"), *([("sizes", "Other sizes")] if self.sizes else [])]
        errors = [("errors", "Where it differs" if self.mismatches else "Errors")] if self.differs else []
        findings = [("findings", "Findings"), *([("build", "Build")] if self.build else [])]
        trials, inside = [("trials", "Trials")], [("inside", "Inside")] if self.inspection else []
        if self.passed:
            return [*timing, *findings, *errors, *trials, *inside, ("run", "The run")]
        if self.mismatches:
            return [*errors, *findings, *trials, *timing, *inside, ("run", "The run")]
        return [*findings, *trials, *errors, *timing, *inside, ("run", "The run")]

    @property
    def differs(self) -> bool:
        """Return whether there are differences from the reference to draw or list."""
        return bool(self.mismatches or self.histogram or self.heat_map)

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
    def heat_map(self) -> error_charts.HeatMap | None:
        return error_charts.heat_map(self.correctness or {})

    @cached_property
    def histogram(self) -> error_charts.Histogram | None:
        return error_charts.histogram((self.correctness or {}).get("error_histogram"), passed=self.passed)

    @cached_property
    def trials(self) -> list[dict[str, Any]]:
        """Return a row per trial in order; `worst` marks the one with the largest error. Errors are those of finite
        numbers: `none_finite` marks a trial with wrong elements and without such an error."""
        rows = ((self.correctness or {}).get("per_trial") or [])[:TRIALS_SHOWN]
        most = max((badness(row) for row in rows), default=(0.0, 0.0))
        return [
            {**row, "worst": badness(row) == most > (0.0, 0.0), "none_finite": none_finite(row)}
            for row in rows
        ]

    @property
    def other_configurations(self) -> list[str]:
        """Return the configurations that were checked besides the task's own."""
        return [name for name in (self.correctness or {}).get("configs") or [] if name != "own"]

    @property
    def backward(self) -> dict[str, Any] | None:
        return (self.correctness or {}).get("backward")

    # --- timing ---

    @property
    def timing(self) -> dict[str, Any] | None:
        return self.report.get("timing")

    @cached_property
    def times(self) -> Times | None:
        return Times(self.timing, self.verification.sample.claimed_speedup) if self.timing else None

    @cached_property
    def sizes(self) -> Sizes:
        """Return the times at other sizes, which only a look inside has."""
        return Sizes(self.report.get("sweep") or [])

    @property
    def claim_ratio(self) -> float | None:
        """Return measured over claimed speedup; None if either is missing."""
        return claim_ratio(self.verification.speedup, self.verification.sample.claimed_speedup)

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
    def machine(self) -> list[Quantity]:
        """Return the facts of the device; its state during timing is shown with the timing."""
        versions = self.report.get("versions") or {}
        device = self.report.get("device") or {}
        facts = {k: v for k, v in device.items() if k not in versions and v not in (None, "")}
        ordered = sorted(facts.items(), key=lambda fact: fact[0] != "name")  # the device's name first
        return [quantity(DEVICE_FACTS.get(name, name), value) for name, value in ordered]

    @property
    def versions(self) -> list[tuple[str, str]]:
        return list((self.report.get("versions") or {}).items())

    @property
    def profile(self) -> list[Quantity]:
        profile = self.report.get("profile") or {}
        return [quantity(name, value) for name, value in profile.items() if name != "name"]

    # --- what was seen inside ---

    @cached_property
    def inspection(self) -> Inspection:
        return Inspection(self.report.get("inspection") or {}, profile_trace(self.report))

    @property
    def has_sass(self) -> bool:
        return any(code.kind == MachineCode.Kind.SASS for code in self.listings)

    # --- the task ---

    @property
    def task_warning(self) -> str:
        """Return why a pass proves little, according to this run, else to the task's newest admission test; empty if
        it does not."""
        return admission.sentence(self.report.get("admission") or self.verification.sample.task.admission)


def badness(trial: dict[str, Any]) -> tuple[float, float]:
    return trial.get("wrong_share") or 0.0, trial.get("max_abs") or 0.0


def none_finite(trial: dict[str, Any]) -> bool:
    return trial.get("max_abs") is None or bool(trial.get("wrong_share") and not trial["max_abs"])


def profile_trace(report: dict[str, Any]) -> dict[str, Any]:
    """Return the profiler's record of what ran on the GPU, from either place where a report may have it."""
    return report.get("profile_trace") or (report.get("timing") or {}).get("profile_trace") or {}


def evidence_view_of(verification: Verification, listings: list[MachineCode] | None = None) -> EvidenceView:
    """Read one finished verification's evidence: three queries, two where its listings are known."""
    report = getattr(verification, "report", None)
    if listings is None:
        listings = list(verification.machine_code.defer("text"))
    return EvidenceView(
        verification, report.report if report else {}, list(verification.findings.all()), listings
    )
