"""/analysis/: the figures on the current browse filter, each with its numbers as a table and as CSV."""

from csp.constants import UNSAFE_INLINE
from csp.decorators import csp_update
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_GET

from datasets_app.analysis.figures import FIGURES
from datasets_app.browse import BrowseError, BrowseFilter

BINS = ("paper", "data")


def read_filter(request: HttpRequest) -> tuple[BrowseFilter, str, list[str]]:
    """The browse filter of the address, the choice of bins, and what could not be read (all samples then)."""
    params: QueryDict = request.GET.copy()
    bins = params.pop("bins", [""])[-1]
    bins = bins if bins in BINS else ""
    try:
        return BrowseFilter.from_params(params), bins, []
    except BrowseError as error:
        return BrowseFilter.from_params({}), bins, error.sentences


@csp_update({"style-src": [UNSAFE_INLINE]})  # type: ignore[arg-type]  # Plotly writes its own style element
@require_GET
def analysis(request: HttpRequest) -> HttpResponse:
    chosen, bins, faults = read_filter(request)
    figures = [make(chosen.queryset(), bins) for make in FIGURES.values()]
    context = {
        "figures": figures,
        "plots": {figure.name: figure.plot for figure in figures if figure.plot},
        "filter_words": chosen.words(),
        "filter_query": chosen.querystring(),
        "filter_typed": chosen.typed(),
        "bins": bins,
        "faults": faults,
    }
    return render(request, "analysis/analysis.html", context, status=400 if faults else 200)


@require_GET
def figure_csv(request: HttpRequest, name: str) -> HttpResponse:
    """The numbers of one figure."""
    if name not in FIGURES:
        raise Http404(f"There is no figure {name!r}; there are {', '.join(FIGURES)}.")
    chosen, bins, faults = read_filter(request)
    if faults:
        return HttpResponse("\n".join(faults) + "\n", status=400, content_type="text/plain; charset=utf-8")
    text = FIGURES[name](chosen.queryset(), bins).to_csv()
    named = {"Content-Disposition": f'attachment; filename="{name}.csv"'}
    return HttpResponse(text, content_type="text/csv; charset=utf-8", headers=named)
