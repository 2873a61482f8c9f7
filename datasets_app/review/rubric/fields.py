"""The fields of a review form: the verdicts, which are fixed, and what a version asks about one sample."""

from dataclasses import dataclass

from datasets_app.models import RubricVersion, Sample, Verdict
from datasets_app.models.rubric import Criterion

SCORES = range(1, 6)


@dataclass(frozen=True)
class Choice:
    verdict: Verdict
    title: str
    key: str
    meaning: str


VERDICTS = (
    Choice(Verdict.ACCEPT, "Accept", "a", "worth training on as it is"),
    Choice(Verdict.FIX, "Needs a fix", "f", "the idea is sound; text or code need changes"),
    Choice(Verdict.REJECT, "Reject", "r", "wrong, dishonest or worthless"),
)
VERDICT_TITLES = {str(choice.verdict): choice.title for choice in VERDICTS}
# The other keys of the review page, which no criterion or reason can have.
PAGE_KEYS = frozenset("msux/[]twygjkn?+-0123456789")


def criteria_for(rubric: RubricVersion, sample: Sample) -> list[Criterion]:
    """Return the criteria that apply to this sample: those on traces do not apply without one."""
    return [one for one in rubric.criterion_list if sample.has_trace or not one.needs_trace]


def reason_field(code: str) -> str:
    """Return the name of a reason's checkbox; no criterion can have it, since names contain no hyphen."""
    return f"reason-{code}"
