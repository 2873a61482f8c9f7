"""What a reviewer is asked: four criteria from 1 to 5, each with the meaning of 1, 3 and 5, and three verdicts."""

from dataclasses import dataclass

from datasets_app.models import Sample, Verdict

SCORES = range(1, 6)


@dataclass(frozen=True)
class Criterion:
    name: str  # the field of Review
    title: str
    key: str  # on the review page it makes this criterion the one that the digits score
    meaning: str  # one sentence: what 1, 3 and 5 mean
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
        "1 computes something else; 3 holds for the tested shapes only; 5 holds for every shape and value of the task.",
    ),
    Criterion(
        "kernel_quality",
        "Kernel quality",
        "q",
        "1 calls the library or does needless work; 3 a plain sound kernel; 5 uses the hardware as an expert would.",
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
    Choice(Verdict.FIX, "Needs a fix", "f", "the idea holds, the text or the code does not yet"),
    Choice(Verdict.REJECT, "Reject", "r", "wrong, dishonest or worthless"),
)
CRITERIA = tuple(criterion.name for criterion in RUBRIC)


def rubric_for(sample: Sample) -> list[Criterion]:
    """The criteria that can be judged on this sample: without a trace nothing is asked about one."""
    return [criterion for criterion in RUBRIC if sample.has_trace or not criterion.needs_trace]
