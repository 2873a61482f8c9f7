"""What the sample page shows, read with a fixed number of queries."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Case, When
from django.http import QueryDict

from datasets_app.browse.errors import BrowseError
from datasets_app.browse.listing import Listing
from datasets_app.browse.sorting import SAMPLE_SORTS
from datasets_app.models import Sample

MOST_SIBLINGS = 12


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
    """Three queries at most. The relation is eval_app's, known here by its name. A fault of ours hides no evidence."""
    runs = sample.verifications.order_by("-created_at", "-id")
    waiting = runs.filter(state__in=["queued", "running"]).values_list("state", flat=True).first() or ""
    ours = Case(When(outcome="infra_error", then=1), default=0)
    newest = runs.filter(state="done").order_by(ours, "-finished_at", "-created_at", "-id").first()
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
    urls = [listing.sample_url(pk) if pk else "" for pk in (before, after)]
    return Place(listing, *urls)
