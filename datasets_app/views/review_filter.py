"""The queue in a URL: the browse page's filter, and whether to review blind."""

from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse

from datasets_app.browse.query import BrowseError, BrowseFilter, parse_query

BESIDE = ("blind", "also", "query", "csrfmiddlewaretoken")  # URL parameters that are not part of the filter


@dataclass(frozen=True)
class Queue:
    chosen: BrowseFilter
    blind: bool
    typed: str = ""  # as typed, if it could not be parsed
    errors: list[str] = field(default_factory=list)

    def url(self, name: str, *args: Any) -> str:
        """Return the URL of a page of this queue."""
        parts = [self.chosen.querystring(), "blind=1" if self.blind and not settings.REVIEW_BLIND else ""]
        query = "&".join(part for part in parts if part)
        return reverse(name, args=args) + (f"?{query}" if query else "")

    @property
    def words(self) -> str:
        return self.chosen.words() + (", blind" if self.blind else "")

    @property
    def querystring(self) -> str:
        return self.url("review").partition("?")[2]


def read_queue(request: HttpRequest) -> Queue:
    """Parse the queue. Never fails: faults are in `errors`, and the queue is then the complete one."""
    blind = settings.REVIEW_BLIND or "blind" in request.GET
    typed = request.GET.get("query", "")
    params = {name: request.GET.getlist(name) for name in request.GET if name not in BESIDE}
    try:
        chosen = parse_query(typed) if typed else BrowseFilter.from_params(params)
    except BrowseError as error:
        return Queue(BrowseFilter(), blind, typed, error.sentences)
    return Queue(chosen, blind, chosen.typed())
