"""Parts that the list page loads separately: completion of the query line, histograms of ranges."""

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.roles import Scope
from datasets_app.browse.list.histogram import RANGES, histogram
from datasets_app.browse.query import BrowseError, BrowseFilter
from datasets_app.browse.query.completion import complete
from datasets_app.browse.query.hidden_reviews import hidden_from
from datasets_app.text_input.numbers import whole_number

LONGEST_LINE = 2000


@require(Scope.READ)
def completions(request: HttpRequest) -> HttpResponse:
    """Return completions for the character `at` of `text`, with the range that they replace."""
    text, at = request.GET.get("text", "")[:LONGEST_LINE].replace("\x00", " "), request.GET.get("at", "")
    place = whole_number(at, 0, len(text))
    completion = complete(text, len(text) if place is None else place, hidden_from(actor_of(request)))
    options = [
        {"text": option.text, "hint": option.hint, "count": option.count} for option in completion.options
    ]
    return JsonResponse({"start": completion.start, "end": completion.end, "options": options})


@require(Scope.READ)
def range_histogram(request: HttpRequest, name: str) -> HttpResponse:
    """Return the bars of one range and its two handles."""
    if name not in RANGES:
        raise Http404(f"The ranges are {', '.join(RANGES)}.")
    try:
        bars = histogram(name, BrowseFilter.from_params(request.GET).read_by(actor_of(request)))
    except BrowseError as error:
        return HttpResponse(str(error), status=400, content_type="text/plain; charset=utf-8")
    return render(request, "browse/_histogram.html", {"histogram": bars, "range": RANGES[name]})
