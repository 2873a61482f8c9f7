"""The content of the sample page, read with a fixed number of queries."""

from dataclasses import dataclass

from django.db.models import F, Model
from django.http import QueryDict

from datasets_app.browse.list.listing import Listing
from datasets_app.browse.query.errors import BrowseError
from datasets_app.browse.query.hidden_reviews import HiddenReviews
from datasets_app.db.some_rows import Some, models_with_rows
from datasets_app.models import Edit, Note, QueueItem, Review, ReviewClaim, Sample, SampleTag

MOST_SIBLINGS = 12
# The columns that the page and the head of a comparison show.
SHOWN_OF_SIBLINGS = ("generator", "outcome", "device", "measured_speedup", "claimed_speedup", "trace_tokens")

OF_SAMPLE = "sample_id = %(sample)s"
SELDOM: dict[type[Model], str] = {
    **dict.fromkeys((Note, QueueItem, Review, ReviewClaim, SampleTag), OF_SAMPLE),
    Edit: "base_id = %(sample)s OR revision_id = %(sample)s",
    Sample: "parent_id = %(sample)s OR twin_id = %(sample)s",
}


def tables_of(sample: Sample) -> Some:
    """Return those of the tables in which few samples have a row that have one of this sample; one small query."""
    return models_with_rows(SELDOM, sample=sample.pk.hex)


def siblings(sample: Sample) -> list[Sample]:
    """Return other samples of the task, the fastest on this sample's device first, and one more than the page shows."""
    others = Sample.objects.filter(task=sample.task_id).exclude(pk=sample.pk).with_evidence_on(sample.device)
    shown = others.only(*SHOWN_OF_SIBLINGS)
    fastest = F("speedup_there").desc(nulls_last=True)
    return list(shown.order_by(fastest, "-id")[: MOST_SIBLINGS + 1])


def turns_after(sample: Sample) -> list[Sample]:
    """Return the samples whose parent this one is, with the columns that a list of turns shows."""
    rows = Sample.objects.filter(parent=sample.pk).only("turn", "outcome")
    return list(rows.order_by("turn", "created_at", "id")[:MOST_SIBLINGS])


# --- The list that the page was opened from ---


@dataclass(frozen=True)
class Place:
    """The list that the page was opened from, and the neighbours of this sample in it."""

    listing: Listing
    previous: str
    next: str


def place_of(sample: Sample, params: QueryDict, hidden: HiddenReviews | None = None) -> Place | None:
    """Return the place in the list, or None if the URL names no list, or an invalid one."""
    address = params.get("in")
    if not isinstance(address, str):
        return None
    try:
        listing = Listing.from_params(QueryDict(address), hidden)
    except BrowseError:
        return None
    before, after = listing.neighbours(sample)
    urls = [listing.sample_url(pk) if pk else "" for pk in (before, after)]
    return Place(listing, *urls)
