"""Compares one text of a sample with another: the reference, the previous turn, another sample's, or a pasted one."""

from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.http import Http404, QueryDict

from datasets_app.bounded import AnalysisError, analysed
from datasets_app.browse.panes.compared import Compared, OperatorMap, compared, mapped
from datasets_app.models import Sample
from datasets_app.text_input.numbers import whole_number

REFERENCE, PARENT, PASTED, OPERATORS = "reference", "parent", "pasted", "operators"
TEXTS = ("kernel", "trace", "program")
MOST_PASTED_CHARS = 1_000_000
SECONDS = 0.7  # for a comparison by functions, and again for one by lines


@dataclass(frozen=True)
class Comparison:
    """`of` is kernel, trace or program; `pasted` is the text that a person submitted."""

    title: str
    diff: Compared | None  # None: `failure` gives the reason
    of: str
    unified: bool
    ignore_space: bool
    against: str
    pasted: str = ""
    other: Sample | None = None  # the sample of the other text
    failure: str = ""


def asked_for(
    sample: Sample, params: QueryDict, *, on_a_phone: bool = False
) -> Comparison | OperatorMap | None:
    """Return the comparison that `?against=` requests; a phone gets one column unless a view is named.

    Raises Http404 with a sentence for a missing sample.
    """
    against = params.get("against", "")
    if not against:
        return None
    if against == OPERATORS:
        return map_of(sample)
    of = params.get("of", "") if params.get("of") in TEXTS else "kernel"
    pasted = params.get("pasted", "") if against == PASTED else ""
    title, theirs, other = "a pasted text", pasted, None
    if against != PASTED:
        title, theirs, other = other_text(sample, against, of)
    ours = sample.body.kernel_code if against == REFERENCE else text_of(sample, of)
    ignore_space = params.get("space") == "ignore"
    diff, failure = difference(theirs, ours, of, ignore_space, row_of(params))
    unified = params.get("view", "unified" if on_a_phone else "split") == "unified"
    return Comparison(title, diff, of, unified, ignore_space, against, pasted, other, failure)


def map_of(sample: Sample) -> OperatorMap | Comparison:
    try:
        return analysed(mapped, sample.task.body.pytorch_code, sample.body.kernel_code, seconds=SECONDS)
    except AnalysisError as error:
        return Comparison("the reference", None, "kernel", False, False, OPERATORS, failure=str(error))


def difference(
    theirs: str, ours: str, of: str, ignore_space: bool, first: int
) -> tuple[Compared | None, str]:
    """Compare programs by their functions, traces by their lines; return the difference, or the reason for none."""
    failure = ""
    for by_functions in (True, False) if of != "trace" else (False,):
        try:
            arguments = (theirs, ours, ignore_space, by_functions, first, of != "trace")
            return analysed(compared, *arguments, seconds=SECONDS), ""
        except AnalysisError as error:
            failure = str(error)
    return None, failure


def row_of(params: QueryDict) -> int:
    """Return the first row of the difference to show."""
    return whole_number(params.get("row", ""), 1, 10**9) or 1


def text_of(sample: Sample, of: str) -> str:
    if of == "program":
        return sample.task.body.pytorch_code
    return sample.body.reasoning if of == "trace" else sample.body.kernel_code


def other_text(sample: Sample, against: str, of: str) -> tuple[str, str, Sample | None]:
    """Return the title, the text itself, and the sample that it belongs to."""
    if against == REFERENCE:
        return "the reference program", sample.task.body.pytorch_code, None
    if against == PARENT and not sample.parent_id:
        raise Http404("This sample has no previous turn to compare with.")
    pk = sample.parent_id if against == PARENT else against
    other = find_sample(pk)
    kind = "the previous turn" if against == PARENT else "another sample"
    title = f"{kind}: {other.task.name} / {other.generator or 'unknown'} / {str(other.pk)[:8]}"
    return title, text_of(other, of), other


def find_sample(pk: Any) -> Sample:
    """Return the sample. Raises Http404 with a sentence for an invalid or unknown id."""
    try:
        return Sample.objects.with_body().get(pk=pk)
    except (Sample.DoesNotExist, ValidationError) as error:
        raise Http404(f"There is no sample {pk} to compare with.") from error
