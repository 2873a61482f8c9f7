"""/analysis/: the figures on the current browse filter, each with its numbers as a table and as CSV."""

from typing import Any
from urllib.parse import urlencode

from csp.decorators import csp_update
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.urls import reverse

from datasets_app.accounts.guard import require
from datasets_app.accounts.roles import Scope
from datasets_app.analysis.figures import FIGURES
from datasets_app.analysis.kept import made, made_or_waiting
from datasets_app.browse.query import BrowseError, BrowseFilter, parse_query
from datasets_app.browse.query.query_line import QueryLine, refused
from datasets_app.browse.query.sets import Sets
from datasets_app.db.facet_index import read
from datasets_app.db.facet_index.sets import size
from datasets_app.maintenance import token_counts
from datasets_app.traces import lengths

BINS = ("paper", "data")
BUTTON = "Show"


def read_filter(params: QueryDict) -> tuple[BrowseFilter, str]:
    """The browse filter of an address, and the choice of bins. Raises BrowseError."""
    params = params.copy()
    params.pop("anew", None)
    bins = params.pop("bins", [""])[-1]
    return BrowseFilter.from_params(params), bins if bins in BINS else ""


# Plotly makes a PNG by way of an image that the page itself made. Its styles are in static/css/plotly.css.
FOR_PLOTLY = {"img-src": ["blob:"]}


@csp_update(FOR_PLOTLY)
@require(Scope.READ)
def analysis(request: HttpRequest) -> HttpResponse:
    try:
        if "query" in request.GET:
            return HttpResponseRedirect(typed_address(request.GET))
        chosen, bins = read_filter(request.GET)
    except BrowseError as error:
        params = request.GET.copy()
        params.pop("anew", None)
        context: dict[str, Any] = {"refused": refused(params, error, reverse("analysis"), BUTTON)}
        return render(request, "analysis/analysis.html", context, status=400)
    sets = Sets(chosen, read())
    samples = size(sets.matching())
    context = {
        "figures": made_or_waiting(chosen, bins, samples, anew="anew" in request.GET),
        "samples": samples,
        "tokenizers": token_counts.by_tokenizer(sets.reading, sets.matching()),
        "present_tokenizer": lengths.tokenizer_name(),
        "filter": chosen,
        "line": QueryLine(reverse("analysis"), chosen.typed(), (("bins", bins),) if bins else (), BUTTON),
        "bins": bins,
    }
    return render(request, "analysis/analysis.html", context)


@csp_update(FOR_PLOTLY)  # type: ignore[arg-type]  # its stub knows only views without arguments
@require(Scope.READ)
def figure(request: HttpRequest, name: str) -> HttpResponse:
    """One figure: as a part of the page, or as a page of its own where no script asked for it."""
    try:
        chosen, bins = read_filter(request.GET)
    except BrowseError as error:
        return HttpResponse(f"{error}\n", status=400, content_type="text/plain; charset=utf-8")
    if name not in FIGURES:
        raise Http404(f"There is no figure {name!r}; there are {', '.join(FIGURES)}.")
    one = made(name, chosen, bins, anew="anew" in request.GET)
    context = {"made": one, "figure": one.figure, "filter": chosen, "bins": bins}
    alone = not getattr(request, "htmx", None)
    return render(request, "analysis/alone.html" if alone else "analysis/_figure.html", context)


def typed_address(params: QueryDict) -> str:
    """The typed line as parameters; the choice of bins stays as it is. Raises BrowseError."""
    kept = urlencode([("bins", bins) for bins in params.getlist("bins") if bins in BINS])
    query = "&".join(part for part in (parse_query(params.get("query", "")).querystring(), kept) if part)
    return reverse("analysis") + (f"?{query}" if query else "")


@require(Scope.READ)
def figure_csv(request: HttpRequest, name: str) -> HttpResponse:
    """The numbers of one figure."""
    if name not in FIGURES:
        raise Http404(f"There is no figure {name!r}; there are {', '.join(FIGURES)}.")
    try:
        chosen, bins = read_filter(request.GET)
    except BrowseError as error:
        return HttpResponse(f"{error}\n", status=400, content_type="text/plain; charset=utf-8")
    text = made(name, chosen, bins, anew="anew" in request.GET).figure.to_csv()
    named = {"Content-Disposition": f'attachment; filename="{name}.csv"'}
    return HttpResponse(text, content_type="text/csv; charset=utf-8", headers=named)
