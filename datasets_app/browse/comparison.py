"""One text of a sample against another: the reference, the turn before, any sample's, or one that a person pastes."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.http import Http404, QueryDict

from datasets_app.diff import compare
from datasets_app.kernel import read_kernel
from datasets_app.models import Sample
from datasets_app.moved import Aligned, compare_functions
from datasets_app.operator_map import Mapped, operator_map

REFERENCE, PARENT, PASTED, OPERATORS = "reference", "parent", "pasted", "operators"
TEXTS = ("kernel", "trace", "program")
MOST_PASTED_CHARS = 1_000_000


@dataclass(frozen=True)
class Comparison:
    """`of` is kernel, trace or program; `pasted` the text that a person gave."""

    title: str
    diff: Aligned
    of: str
    unified: bool
    ignore_space: bool
    against: str
    pasted: str = ""
    among: frozenset[str] = frozenset()
    other: Sample | None = None  # the sample that the other text is of

    @property
    def is_elsewhere(self) -> bool:
        """Whether it is none of those that a list of choices holds anyway."""
        return self.against not in self.among | {REFERENCE, PARENT, PASTED}


@dataclass(frozen=True)
class OperatorMap:
    rows: list[Mapped]
    defines_nothing: bool = False  # the kernel's text has no class and no function, such as the word None

    @property
    def told(self) -> int:
        return sum(row.is_told for row in self.rows)


def asked_for(
    sample: Sample, params: QueryDict, siblings: Iterable[Sample] = (), *, on_a_phone: bool = False
) -> Comparison | OperatorMap | None:
    """What `?against=` asks for; a phone gets one column where no view is named.

    Raises Http404 with a sentence for a sample that is not there.
    """
    against = params.get("against", "")
    if not against:
        return None
    if against == OPERATORS:
        rows = operator_map(sample.task.body.pytorch_code, sample.body.kernel_code)
        return OperatorMap(rows, not read_kernel(sample.body.kernel_code).functions)
    of = params.get("of", "") if params.get("of") in TEXTS else "kernel"
    pasted = params.get("pasted", "") if against == PASTED else ""
    title, theirs, other = "a pasted text", pasted, None
    if against != PASTED:
        title, theirs, other = other_text(sample, against, of)
    ours = sample.body.kernel_code if against == REFERENCE else text_of(sample, of)
    ignore_space = params.get("space") == "ignore"
    diff = difference(theirs, ours, of, ignore_space)
    among = frozenset(str(other.pk) for other in siblings)
    unified = params.get("view", "unified" if on_a_phone else "split") == "unified"
    return Comparison(title, diff, of, unified, ignore_space, against, pasted, among, other)


def difference(theirs: str, ours: str, of: str, ignore_space: bool) -> Aligned:
    """Programs by their functions, traces by their lines."""
    theirs, ours = theirs.replace("\r\n", "\n"), ours.replace("\r\n", "\n")
    if of == "trace":
        return Aligned(compare(theirs, ours, ignore_space=ignore_space), [])
    return compare_functions(theirs, ours, ignore_space=ignore_space)


def text_of(sample: Sample, of: str) -> str:
    if of == "program":
        return sample.task.body.pytorch_code
    return sample.body.reasoning if of == "trace" else sample.body.kernel_code


def other_text(sample: Sample, against: str, of: str) -> tuple[str, str, Sample | None]:
    """What it is called, the text itself, and the sample that it is of."""
    if against == REFERENCE:
        return "the reference program", sample.task.body.pytorch_code, None
    if against == PARENT and not sample.parent_id:
        raise Http404("This sample answers no turn before it: there is nothing of the kind to compare with.")
    pk = sample.parent_id if against == PARENT else against
    other = find_sample(pk)
    kind = "the turn before" if against == PARENT else "another sample"
    title = f"{kind}: {other.task.name} / {other.generator or 'unknown'} / {str(other.pk)[:8]}"
    return title, text_of(other, of), other


def find_sample(pk: Any) -> Sample:
    """Raises Http404 with a sentence for an id that is none, or of no sample."""
    try:
        return Sample.objects.with_body().get(pk=pk)
    except (Sample.DoesNotExist, ValidationError) as error:
        raise Http404(f"There is no sample {pk} to compare with.") from error
