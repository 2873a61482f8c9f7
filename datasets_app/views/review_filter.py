"""The queue in a URL: a curator's queue, or the browse page's filter; and whether to review blind."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse

from datasets_app.accounts.actor import actor_of
from datasets_app.browse.query import BrowseError, BrowseFilter, parse_query
from datasets_app.models import ReviewQueue
from datasets_app.text_input.numbers import row_id

BESIDE = (
    "blind",
    "also",
    "query",
    "queue",
    "csrfmiddlewaretoken",
)  # URL parameters that are not part of the filter


@dataclass(frozen=True)
class Queue:
    chosen: BrowseFilter
    blind: bool
    typed: str = ""  # as typed, if it could not be parsed
    errors: list[str] = field(default_factory=list)
    stored: ReviewQueue | None = None  # a curator's queue; `chosen` is then empty
    sample_is_blind: bool = False  # the open queue of the sample that is shown is blind

    def url(self, name: str, *args: Any) -> str:
        """Return the URL of a page of this queue."""
        asks_blind = self.blind and not (settings.REVIEW_BLIND or self.sample_is_blind or self.stored)
        stored = f"queue={self.stored.pk}" if self.stored else ""
        parts = [stored, self.chosen.querystring(), "blind=1" if asks_blind else ""]
        query = "&".join(part for part in parts if part)
        return reverse(name, args=args) + (f"?{query}" if query else "")

    @property
    def home(self) -> str:
        """Return the URL of the queue's own page."""
        return self.stored.get_absolute_url() if self.stored else self.url("review")

    @property
    def words(self) -> str:
        return (self.stored.name if self.stored else self.chosen.words()) + (", blind" if self.blind else "")

    def beside(self, held: ReviewQueue | None) -> Queue:
        """Return the queue as it is while a sample is shown that the open queue `held` holds: blind if that one is.

        Its addresses stay the same.
        """
        return replace(self, blind=True, sample_is_blind=not self.blind) if held and held.blind else self

    @property
    def querystring(self) -> str:
        return self.url("review").partition("?")[2]


def read_queue(request: HttpRequest) -> Queue:
    """Parse the queue. Never fails: faults are in `errors`, and the queue is then the complete one."""
    blind = settings.REVIEW_BLIND or "blind" in request.GET
    if stored := stored_queue(request.GET.get("queue", "")):
        return Queue(BrowseFilter(), blind or stored.blind, stored=stored)
    typed = request.GET.get("query", "")
    params = {name: request.GET.getlist(name) for name in request.GET if name not in BESIDE}
    try:
        chosen = parse_query(typed) if typed else BrowseFilter.from_params(params)
    except BrowseError as error:
        return Queue(BrowseFilter(), blind, typed, error.sentences)
    return Queue(chosen.read_by(actor_of(request)), blind, chosen.typed())


def stored_queue(pk: str) -> ReviewQueue | None:
    """Return the queue with this id, open or not; whoever takes a sample from it is told if it is closed."""
    number = row_id(pk)
    return ReviewQueue.objects.filter(pk=number, opened_at__isnull=False).first() if number else None
