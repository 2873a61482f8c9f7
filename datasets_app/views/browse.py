"""The list of samples."""

from urllib.parse import urlencode

from django.db.models import Model
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse

from datasets_app import bulk
from datasets_app.accounts.actor import Actor, actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.roles import Scope
from datasets_app.browse import evidence
from datasets_app.browse.list import facets, saved_views, tags
from datasets_app.browse.list.cells import ShownRow, columns_of_page
from datasets_app.browse.list.columns import COLUMNS, Column
from datasets_app.browse.list.histogram import RANGES as HISTOGRAMS
from datasets_app.browse.list.list_rows import ListRow
from datasets_app.browse.list.listing import PAGE_SIZE, Listing
from datasets_app.browse.list.snippets import snippets
from datasets_app.browse.query import BrowseError, BrowseFilter, parse_query
from datasets_app.browse.query.hidden_reviews import hidden_from
from datasets_app.browse.query.query_line import QueryLine, refused
from datasets_app.bulk.bar import bar_of, panels
from datasets_app.db.some_rows import Some, models_with_rows
from datasets_app.models import BulkAction, Sample, SampleTag, SavedView, Verification
from datasets_app.review import hidden_verdicts

PAGE_KEYS = [
    ("Space", "Preview the row; Space or Esc closes it", "[data-row-link]"),
    ("x", "Select the row", "#pick-all"),
    ("X", "Select all rows of the page", "#pick-all"),
    ("n p", "Next and previous page", "a[rel=next], a[rel=prev]"),
    ("f", "To the filters"),
    ("t", "Tag the selection", "[data-panel=tag]"),
    ("e", "Verify the selection", "[data-panel=verify]"),
    ("s", "Save this list as a view", "#views-menu"),
    ("z", "Undo the last action", "#undo"),
    ("← →", "On a handle of a range: move it; Enter applies it", ".histogram-place"),
    ("Esc", "Close the sheet that is open", "#views-menu"),
]
CREATED = COLUMNS["created"]
# What few lists have beside their rows.
SELDOM: dict[type[Model], str] = {
    BulkAction: "actor_id = %(reader)s",
    SampleTag: "",
    SavedView: "",
    Verification: evidence.UNFINISHED,
}
JSON_TYPES = ("text/html", "application/json")


@require(Scope.READ)
def browse(request: HttpRequest) -> HttpResponse:
    if request.get_preferred_type(JSON_TYPES) == "application/json":
        return as_json(request)
    if not request.GET and (view := saved_views.default_of(request.user)):
        return redirect(view)
    try:
        if "query" in request.GET:
            return HttpResponseRedirect(typed_address(request))
        listing = Listing.from_params(request.GET, hidden_from(actor_of(request)))
    except BrowseError as error:
        return refusal(request, error)
    return render(request, "browse/browse.html", page_context(request, listing))


@require(Scope.READ)
def as_json(request: HttpRequest) -> HttpResponse:
    """Redirect to the same rows in the API: same filter, order and position."""
    params = request.GET.copy()
    for name in ("columns", "density", "view", "format"):
        params.pop(name, None)
    if "query" in params:
        try:
            params = QueryDict(parse_query(request.GET["query"]).querystring(), mutable=True)
        except BrowseError as error:
            return refusal(request, error)
    params.setdefault("limit", str(PAGE_SIZE))
    return HttpResponseRedirect(f"{reverse('api-samples')}?{params.urlencode()}")


def typed_address(request: HttpRequest) -> str:
    """Return the URL for the typed line, which keeps order, columns and density."""
    names = ("sort", "columns", "density", "view")
    params = [(name, value) for name in names for value in request.GET.getlist(name)]
    parts = [parse_query(request.GET["query"]).querystring(), urlencode(params)]
    query = "&".join(part for part in parts if part)
    return f"{reverse('browse')}?{query or 'view=all'}"


def page_context(request: HttpRequest, listing: Listing) -> dict[str, object]:
    page = listing.page()
    counts = facets.count(listing.filter, listing.sets)
    some = models_with_rows(SELDOM, reader=request.user.pk)
    rows = shown_rows(actor_of(request), listing, page.rows, some)
    columns = columns_of_page(rows, listing.columns)
    return {
        "listing": listing,
        "rows": rows,
        "columns": columns,
        "headings": listing.headings(columns),
        "total": counts.total,
        "counts": counts,
        "next": listing.url(page.next) if page.next else "",
        "previous": listing.url(page.previous) if page.previous else "",
        "ranges": range_rows(listing.filter),
        "has_range": any(field.group or field.name in facets.IN_ORDER for field, _ in listing.filter),
        "added_on": rows[0].sample.created_at if rows and lacks_date(listing, columns) else None,
        "hints": [] if page.rows else hints(listing),
        "empty_site": not page.rows and not listing.filter,
        "line": QueryLine(
            reverse("browse"), listing.filter.typed(), (*listing.view_params, *listing.view_param)
        ),
        "panels": panels(actor_of(request)),
        "bar": bar_of(bulk.latest_of(request.user) if BulkAction in some else None),
        **view_context(request, listing, some),
        "page_keys": PAGE_KEYS,
    }


def lacks_date(listing: Listing, columns: tuple[Column, ...]) -> bool:
    """Return whether the column of the date is left out because all rows have the same."""
    return CREATED in listing.columns and CREATED not in columns


def shown_rows(actor: Actor, listing: Listing, rows: list[ListRow], some: Some) -> list[ShownRow]:
    """Return each sample with its URL, its evidence, its tags, and what a text search found in it."""
    if not rows:
        return []
    ids = [row.pk for row in rows]
    beside = evidence.of_samples(
        ids, listing.sets.elsewhere, listing.sets.reference, any_waiting=Verification in some
    )
    tagged = tags.of_samples(ids) if SampleTag in some else {}
    hidden = hidden_verdicts(actor, ids)
    found = snippets(ids, listing.filter)
    return [
        ShownRow(
            row,
            url,
            beside.get(row.pk) or evidence.RowEvidence(),
            tagged.get(row.pk, ()),
            row.pk in hidden,
            found.get(row.pk),
        )
        for row, url in zip(rows, listing.sample_urls(rows), strict=True)
    ]


def view_context(request: HttpRequest, listing: Listing, some: Some) -> dict[str, object]:
    """Return the saved views, the open one, and whether the list differs from it."""
    views = list(saved_views.visible_to(request.user)) if SavedView in some else []
    here: SavedView | None = next((view for view in views if str(view.pk) == listing.view), None)
    return {
        "views": views,
        "view": here,
        "view_is_mine": here is not None and here.owner_id == request.user.pk,
        "view_changed": here is not None and here.query != listing.querystring,
    }


def range_rows(chosen: BrowseFilter) -> list[dict[str, str]]:
    """Return the ranges' number inputs, with the URLs of their histograms, which the page loads separately."""
    rows = []
    for name, histogram in HISTOGRAMS.items():
        low, high = chosen.get(f"{name}_min"), chosen.get(f"{name}_max")
        address = reverse("browse-histogram", args=[name])
        rows.append(
            {
                "name": name,
                "label": f"{histogram.label}, {histogram.unit}",
                "low": low[0] if low else "",
                "high": high[0] if high else "",
                "histogram": f"{address}?{chosen.querystring()}",
            }
        )
    return rows


def hints(listing: Listing) -> list[tuple[str, str, int]]:
    """Return (chips, URL, rows) for each part of a filter without results: the rows without that part, most first."""
    hints = []
    for field, values in listing.filter:
        without = listing.filter.having(field.name)
        hints.append(
            (", ".join(map(field.chip, values)), listing.with_filter(without).url(), facets.total(without))
        )
    return sorted((hint for hint in hints if hint[2]), key=lambda hint: -hint[2])


def refusal(request: HttpRequest, error: BrowseError) -> HttpResponse:
    """Return a page that marks the faults and keeps the form as typed."""
    message = refused(request.GET, error, reverse("browse"))
    context = {"refused": message, "any_samples": Sample.objects.exists(), "page_keys": PAGE_KEYS}
    return render(request, "browse/refused.html", context, status=400)
