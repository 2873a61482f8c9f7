"""/analysis/: figures for the current browse filter, each with its numbers as a table and as CSV."""

from typing import Any
from urllib.parse import urlencode

from csp.decorators import csp_update
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.text import slugify

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.roles import Scope
from datasets_app.analysis.figures import FIGURES
from datasets_app.analysis.kept import made, made_or_waiting
from datasets_app.analysis.request import FigureRequest
from datasets_app.browse.query import BrowseError, parse_query
from datasets_app.browse.query.hidden_reviews import hidden_from
from datasets_app.browse.query.query_line import QueryLine, refused
from datasets_app.browse.query.sets import Sets
from datasets_app.db.facet_index import read
from datasets_app.db.facet_index.sets import size
from datasets_app.maintenance import token_counts
from datasets_app.traces import lengths

BUTTON = "Apply filter"


# Plotly creates a PNG from an image that the page itself made. Its styles are in static/css/plotly.css.
FOR_PLOTLY = {"img-src": ["blob:"]}


@csp_update(FOR_PLOTLY)
@require(Scope.READ)
def analysis(request: HttpRequest) -> HttpResponse:
    try:
        if "query" in request.GET:
            return HttpResponseRedirect(typed_address(request.GET))
        asked = FigureRequest.from_params(request.GET, hidden_from(actor_of(request)))
    except BrowseError as error:
        params = request.GET.copy()
        params.pop("anew", None)
        context: dict[str, Any] = {"refused": refused(params, error, reverse("analysis"), BUTTON)}
        return render(request, "analysis/analysis.html", context, status=400)
    sets = Sets(asked.filter, read())
    samples = size(sets.matching())
    context = {
        "figures": made_or_waiting(asked, samples, anew="anew" in request.GET) if samples else [],
        "samples": samples,
        "tokenizers": token_counts.by_tokenizer(sets.reading, sets.matching()),
        "present_tokenizer": lengths.tokenizer_name(),
        "asked": asked,
        "filter": asked.filter,
        "line": QueryLine(reverse("analysis"), asked.filter.typed(), asked.beside, BUTTON),
    }
    return render(request, "analysis/analysis.html", context)


@csp_update(FOR_PLOTLY)  # type: ignore[arg-type]  # its stub knows only views without arguments
@require(Scope.READ)
def figure(request: HttpRequest, name: str) -> HttpResponse:
    """Show one figure: as a part of the page for htmx, otherwise as a page of its own."""
    try:
        asked = FigureRequest.from_params(request.GET, hidden_from(actor_of(request)))
    except BrowseError as error:
        return HttpResponse(f"{error}\n", status=400, content_type="text/plain; charset=utf-8")
    if name not in FIGURES:
        raise Http404(f"There is no figure {name!r}; there are {', '.join(FIGURES)}.")
    result = made(name, asked, anew="anew" in request.GET)
    context = {"made": result, "figure": result.figure, "filter": asked.filter, "asked": asked}
    alone = not getattr(request, "htmx", None)
    return render(request, "analysis/alone.html" if alone else "analysis/_figure.html", context)


def typed_address(params: QueryDict) -> str:
    """Return the URL for the typed line, which keeps the choices of bins and device. Raises BrowseError."""
    choices = urlencode([(name, value) for name in ("on", "bins") for value in params.getlist(name)])
    query = "&".join(part for part in (parse_query(params.get("query", "")).querystring(), choices) if part)
    return reverse("analysis") + (f"?{query}" if query else "")


@require(Scope.READ)
def figure_csv(request: HttpRequest, name: str) -> HttpResponse:
    """Return the numbers of one figure."""
    if name not in FIGURES:
        raise Http404(f"There is no figure {name!r}; there are {', '.join(FIGURES)}.")
    try:
        asked = FigureRequest.from_params(request.GET, hidden_from(actor_of(request)))
    except BrowseError as error:
        return HttpResponse(f"{error}\n", status=400, content_type="text/plain; charset=utf-8")
    text = made(name, asked, anew="anew" in request.GET).figure.to_csv()
    file_name = f"{name}-{slugify(asked.device) or 'no-evidence'}.csv"
    named = {"Content-Disposition": f'attachment; filename="{file_name}"'}
    return HttpResponse(text, content_type="text/csv; charset=utf-8", headers=named)
