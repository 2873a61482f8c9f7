"""Checks the fields of a review against a version of the rubric."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from datasets_app.models import Review, RubricVersion, Sample, Verdict
from datasets_app.models.bounds import LONGEST_TEXT
from datasets_app.review.rubric import SCORES, criteria_for, reason_field
from datasets_app.review.rubric.fields import VERDICT_TITLES
from datasets_app.text_input.validate import FieldsError, prose_fault

LONGEST_COMMENT = LONGEST_TEXT


class ReviewError(FieldsError):
    """Invalid fields of a review."""


def checked_fields(
    sample: Sample,
    rubric: RubricVersion,
    verdict: str,
    scores: Mapping[str, Any],
    comment: str,
    reasons: Sequence[str],
    adjudicates: bool = False,
) -> dict[str, Any]:
    """Return the columns of a review. Raises ReviewError with a sentence per invalid field.

    An adjudication decides between votes and scores nothing, so that no required field of the rubric applies to it.
    """
    errors: dict[str, str] = {}
    if verdict not in Verdict.values:
        errors["verdict"] = f"A verdict is one of: {', '.join(Verdict.values)}."
    comment = comment.replace("\r\n", "\n").strip()
    if fault := prose_fault("The comment", comment, LONGEST_COMMENT):
        errors["comment"] = fault
    errors |= dict(score_faults(sample, rubric, scores))
    if fault := reasons_fault(rubric, verdict, reasons):
        errors["reasons"] = fault
    if not adjudicates:
        for name, sentence in missing(sample, rubric, verdict, scores, comment, reasons):
            errors.setdefault(name, sentence)
    if errors:
        raise ReviewError(errors)
    names = [one.name for one in rubric.criterion_list]
    return {
        "rubric_id": rubric.number,
        "verdict": verdict,
        "comment": comment,
        "scores": {name: scores[name] for name in names if scores.get(name) is not None},
        "reasons": [one.code for one in rubric.reason_list if one.code in reasons],
    }


def score_faults(
    sample: Sample, rubric: RubricVersion, scores: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    names = [one.name for one in rubric.criterion_list]
    asked = {one.name for one in criteria_for(rubric, sample)}
    for name, score in scores.items():
        if name not in names:
            yield name, f"{name[:80]} is not a criterion; the criteria are: {', '.join(names)}."
        elif score is None:
            continue
        elif name not in asked:
            yield name, "This sample has no trace: leave this score empty."
        elif type(score) is not int or score not in SCORES:
            yield name, "A score is a whole number from 1 to 5."


def reasons_fault(rubric: RubricVersion, verdict: str, reasons: Sequence[str]) -> str:
    by_code = {one.code: one for one in rubric.reason_list}
    if unknown := next((code for code in reasons if code not in by_code), None):
        return f"{unknown[:80]} is not a reason; the reasons are: {', '.join(by_code)}."
    title = VERDICT_TITLES.get(verdict)
    wrong = [by_code[code] for code in reasons if title and not by_code[code].goes_with(verdict)]
    if not wrong:
        return ""
    allowed = " or ".join(VERDICT_TITLES[one].lower() for one in wrong[0].verdicts)
    return f"“{wrong[0].title}” goes with {allowed}, not with {str(title).lower()}: change one of them."


def missing(
    sample: Sample,
    rubric: RubricVersion,
    verdict: str,
    scores: Mapping[str, Any],
    comment: str,
    reasons: Sequence[str],
) -> Iterator[tuple[str, str]]:
    """Yield a sentence for each field that this version of the rubric requires and that is empty."""
    for criterion in criteria_for(rubric, sample):
        if criterion.required and scores.get(criterion.name) is None:
            yield criterion.name, f"{criterion.title} is required: score it from 1 to 5."
    title = VERDICT_TITLES.get(verdict, "").lower()
    if verdict in rubric.reason_required_for and not reasons:
        yield "reasons", f"Give at least one reason: {title} needs one."
    if verdict in rubric.comment_required_for and not comment:
        yield "comment", f"Write a comment: {title} needs one."


def typed_of(review: Review) -> dict[str, str]:
    """Return a review's non-empty fields as the form would have them."""
    fields = {
        "verdict": review.verdict,
        **{name: str(score) for name, score in review.scores.items()},
        **{reason_field(code): "1" for code in review.reasons},
        "comment": review.comment,
        "rubric": str(review.rubric_id),
    }
    return {name: value for name, value in fields.items() if value}
