"""The list of samples."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse

from datasets_app.browse import BrowseError, BrowseFilter, evidence, facets, parse_query
from datasets_app.browse.filter import BESIDE, given
from datasets_app.browse.listing import Listing
from datasets_app.browse.vocabulary import FIELDS, OUTCOMES, RANGES
from datasets_app.models import Sample
from datasets_app.roles import Scope, require

PAGE_KEYS = [("x", "Select the row"), ("n p", "Next and previous page")]
RANGE_ROWS = [("tokens", "trace, tokens"), ("speedup", "measured, ×"), ("claimed", "claimed, ×")]


@require(Scope.READ)
def browse(request: HttpRequest) -> HttpResponse:
    try:
        if "query" in request.GET:
            return HttpResponseRedirect(typed_address(request))
        listing = Listing.from_params(request.GET)
    except BrowseError as error:
        return refusal(request, error)
    return render(request, "browse/browse.html", page_context(listing))


def typed_address(request: HttpRequest) -> str:
    """The typed line as parameters; order and columns stay as they are."""
    kept = [(name, value) for name in ("sort", "columns") for value in request.GET.getlist(name)]
    parts = [parse_query(request.GET["query"]).querystring(), urlencode(kept)]
    query = "&".join(part for part in parts if part)
    return reverse("browse") + (f"?{query}" if query else "")


def page_context(listing: Listing) -> dict[str, object]:
    page = listing.page()
    found = facets.count(listing.filter)
    beside = evidence.of_samples(sample.pk for sample in page.rows)
    return {
        "listing": listing,
        "rows": [(row, listing.sample_url(row), beside.get(row.pk)) for row in page.rows],
        "columns": {column.name: True for column in listing.columns},
        "facets": [(facet, facet_links(listing, facet)) for facet in found.facets],
        "total": found.total,
        "counts": found,
        "next": listing.url(page.next) if page.next else "",
        "previous": listing.url(page.previous) if page.previous else "",
        "ranges": range_rows(listing.filter),
        "hints": [] if page.rows else hints(listing),
        "empty_site": not page.rows and not listing.filter,
        "typed": listing.filter.typed(),
        "page_keys": PAGE_KEYS,
        **help_context(),
    }


def facet_links(listing: Listing, facet: facets.Facet) -> dict[str, str]:
    return {value.value: listing.toggled(facet.name, value.value) for value in facet.values}


def range_rows(chosen: BrowseFilter) -> list[dict[str, str]]:
    rows = []
    for name, label in RANGE_ROWS:
        low, high = chosen.get(f"{name}_min"), chosen.get(f"{name}_max")
        rows.append(
            {"name": name, "label": label, "low": low[0] if low else "", "high": high[0] if high else ""}
        )
    return rows


def hints(listing: Listing) -> list[tuple[str, str, int]]:
    """For a filter that finds nothing: what each part of it costs, most helpful first: (words, address, rows)."""
    found = []
    for field, values in listing.filter:
        without = listing.filter.having(field.name)
        found.append((field.say(values), listing.with_filter(without).url(), facets.total(without)))
    return sorted(found, key=lambda hint: -hint[2])


def help_context() -> dict[str, object]:
    return {
        "filter_names": [name for name in FIELDS if name != "q" and not name.endswith(("_min", "_max"))],
        "range_names": list(RANGES),
        "outcomes": OUTCOMES,
    }


def refusal(request: HttpRequest, error: BrowseError) -> HttpResponse:
    """Says what cannot be understood and keeps the form as it was typed."""
    kept = {
        name: values
        for name, values in request.GET.lists()
        if name not in error.errors and name not in BESIDE
    }
    context = {
        "errors": error.sentences,
        "typed": request.GET.get("query") or as_typed(request),
        "without_errors": reverse("browse") + (f"?{urlencode(kept, doseq=True)}" if kept else ""),
        "any_samples": Sample.objects.exists(),
        "page_keys": PAGE_KEYS,
        **help_context(),
    }
    return render(request, "browse/refused.html", context, status=400)


def as_typed(request: HttpRequest) -> str:
    """The parameters of a faulty address in the form of the query line, to be mended there."""
    names = [name for name in request.GET if name not in BESIDE]
    return " ".join(
        text if name == "q" else f"{name}:{text}" for name in names for text in given(request.GET, name)
    )
