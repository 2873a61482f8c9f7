"""What the sample page shows, read with a fixed number of queries."""

from dataclasses import dataclass

from django.db.models import F
from django.http import QueryDict

from datasets_app.browse.list.listing import Listing
from datasets_app.browse.query.errors import BrowseError
from datasets_app.models import Sample

MOST_SIBLINGS = 12


def siblings(sample: Sample) -> list[Sample]:
    """Others of the task, the fastest on this sample's device first; one more than are shown tells of more."""
    others = Sample.objects.filter(task=sample.task_id).exclude(pk=sample.pk).with_evidence_on(sample.device)
    fastest = F("speedup_there").desc(nulls_last=True)
    return list(others.for_list().order_by(fastest, "-id")[: MOST_SIBLINGS + 1])


def turns_after(sample: Sample) -> list[Sample]:
    rows = Sample.objects.filter(parent=sample.pk).for_list()
    return list(rows.order_by("turn", "created_at", "id")[:MOST_SIBLINGS])


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
