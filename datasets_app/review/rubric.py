"""The rubric: four criteria from 1 to 5, each with the meaning of 1, 3 and 5, and three verdicts."""

from dataclasses import dataclass

from datasets_app.models import Sample, Verdict

SCORES = range(1, 6)


@dataclass(frozen=True)
class Criterion:
    name: str  # the field of Review
    title: str
    key: str  # selects this criterion on the review page; digits then score it
    meaning: str  # one sentence with the meanings of 1, 3 and 5
    needs_trace: bool = False


@dataclass(frozen=True)
class Choice:
    verdict: Verdict
    title: str
    key: str
    meaning: str


RUBRIC = (
    Criterion(
        "correctness",
        "Correctness",
        "c",
        "1 computes something else; 3 is right for the tested shapes; 5 is right for all shapes and values.",
    ),
    Criterion(
        "kernel_quality",
        "Kernel quality",
        "q",
        "1 calls the library or does needless work; 3 is plain and sound; 5 uses the hardware as an expert would.",
    ),
    Criterion(
        "trace_quality",
        "Trace quality",
        "e",
        "1 rambles, repeats or guesses; 3 reaches the design with detours; 5 each step is needed and argued.",
        needs_trace=True,
    ),
    Criterion(
        "faithfulness",
        "Faithfulness",
        "h",
        "1 describes another kernel; 3 the same plan, other details; 5 every decision in the code is in the trace.",
        needs_trace=True,
    ),
)
VERDICTS = (
    Choice(Verdict.ACCEPT, "Accept", "a", "worth training on as it is"),
    Choice(Verdict.FIX, "Needs a fix", "f", "the idea is sound; text or code need changes"),
    Choice(Verdict.REJECT, "Reject", "r", "wrong, dishonest or worthless"),
)
CRITERIA = tuple(criterion.name for criterion in RUBRIC)


def rubric_for(sample: Sample) -> list[Criterion]:
    """Return the criteria that apply to this sample: those on traces do not apply without one."""
    return [criterion for criterion in RUBRIC if sample.has_trace or not criterion.needs_trace]
