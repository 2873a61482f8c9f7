"""What the sample page shows, read with a fixed number of queries."""

from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.http import Http404, QueryDict

from datasets_app.browse.errors import BrowseError
from datasets_app.browse.listing import Listing
from datasets_app.browse.sorting import SAMPLE_SORTS
from datasets_app.diff import Diff, compare
from datasets_app.models import Sample

MOST_SIBLINGS = 12
REFERENCE, PARENT = "reference", "parent"


def siblings(sample: Sample) -> list[Sample]:
    """Others of the task, fastest first; one more than are shown tells that there are more."""
    others = Sample.objects.filter(task=sample.task_id).exclude(pk=sample.pk).for_list()
    return list(SAMPLE_SORTS["measured"].apply(others)[: MOST_SIBLINGS + 1])


def turns_after(sample: Sample) -> list[Sample]:
    rows = Sample.objects.filter(parent=sample.pk).for_list()
    return list(rows.order_by("turn", "created_at", "id")[:MOST_SIBLINGS])


@dataclass(frozen=True)
class Evidence:
    """The newest finished verification, as the head of the page says it."""

    device: str = ""
    speedup_low: float | None = None
    speedup_high: float | None = None
    waiting: str = ""
    findings: tuple[Any, ...] = ()


def evidence_of(sample: Sample) -> Evidence:
    """Three queries at most. The relation is eval_app's, known here by its name."""
    runs = sample.verifications.order_by("-created_at", "-id")
    waiting = runs.filter(state__in=["queued", "running"]).values_list("state", flat=True).first() or ""
    newest = runs.filter(state="done").order_by("-finished_at", "-created_at", "-id").first()
    if newest is None:
        return Evidence(waiting=waiting)
    findings = tuple(newest.findings.all())
    return Evidence(newest.device, newest.speedup_low, newest.speedup_high, waiting, findings)


# --- Where one came from ---


@dataclass(frozen=True)
class Place:
    """The list that the page was opened from, and the samples next to this one in it."""

    listing: Listing
    previous: str
    next: str


def place_of(sample: Sample, params: QueryDict) -> Place | None:
    """None where the address names no list, or one that cannot be read: the page is about the sample."""
    address = params.get("in")
    if not isinstance(address, str):
        return None
    try:
        listing = Listing.from_params(QueryDict(address))
    except BrowseError:
        return None
    before, after = listing.neighbours(sample)
    urls = [listing.sample_url(row) if row else "" for row in (before, after)]
    return Place(listing, *urls)


# --- Against another ---


@dataclass(frozen=True)
class Comparison:
    title: str
    diff: Diff
    of: str  # kernel, trace or program
    unified: bool
    ignore_space: bool
    against: str


def comparison(sample: Sample, params: QueryDict) -> Comparison | None:
    """What `?against=` asks for: the reference, the parent turn, or any sample by its id."""
    against = params.get("against", "")
    if not against:
        return None
    of = params.get("of", "kernel") if params.get("of") in ("kernel", "trace", "program") else "kernel"
    title, theirs = other_text(sample, against, of)
    ours = sample.body.kernel_code if against == REFERENCE else text_of(sample, of)
    ignore_space = params.get("space") == "ignore"
    diff = compare(theirs, ours, ignore_space=ignore_space)
    return Comparison(title, diff, of, params.get("view") == "unified", ignore_space, against)


def text_of(sample: Sample, of: str) -> str:
    if of == "program":
        return sample.task.body.pytorch_code
    return sample.body.reasoning if of == "trace" else sample.body.kernel_code


def other_text(sample: Sample, against: str, of: str) -> tuple[str, str]:
    if against == REFERENCE:
        return "the reference program", sample.task.body.pytorch_code
    pk = sample.parent_id if against == PARENT else against
    other = find_sample(pk)
    kind = "the turn before" if against == PARENT else "another sample"
    return f"{kind}: {other.task.name} / {other.generator or 'unknown'} / {str(other.pk)[:8]}", text_of(
        other, of
    )


def find_sample(pk: Any) -> Sample:
    """Raises Http404 with a sentence for an id that is none, or of no sample."""
    try:
        return Sample.objects.with_body().get(pk=pk)
    except (Sample.DoesNotExist, ValidationError) as error:
        raise Http404(f"There is no sample {pk} to compare with.") from error
