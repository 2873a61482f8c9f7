"""The rows of a release to look at."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from datasets_app.export.viewer import rows as viewer
from datasets_app.models import Release
from datasets_app.text_input.numbers import whole_number
from datasets_app.views.releases import EXCERPT, reads_release

SHOWN = 50  # rows of a page
FARTHEST = 10_000_000
TITLES = (
    ("pytorch_code", "PyTorch program"),
    ("generated_think", "Reasoning trace"),
    ("generated_code", "Kernel"),
    ("feedback", "Feedback on the turn before"),
)


@reads_release
def release_rows(request: HttpRequest, release: Release) -> HttpResponse:
    """Show a page of a split's rows, or one row with its texts."""
    splits = [name for name, _ in release.splits]
    if not splits:
        raise Http404(f"{release.name} has no rows yet.")
    split = request.GET.get("split") or splits[0]
    context = {"release": release, "split": split, "split_count": release.split_counts.get(split, 0)}
    try:
        found = (
            one_row(request, release, split) if "row" in request.GET else some_rows(request, release, split)
        )
    except viewer.ViewerError as error:
        typed = {"query": request.GET.get("q", ""), "where": request.GET.get("where", "")}
        return render(request, "release/rows.html", context | typed | {"fault": str(error)}, status=400)
    return render(request, "release/rows.html", context | found)


def some_rows(request: HttpRequest, release: Release, split: str) -> dict[str, Any]:
    query, where = (request.GET.get(name, "").strip() for name in ("q", "where"))
    offset = number_in(request, "offset")
    page = viewer.page(release, split, offset, SHOWN, query=query, filter=where, longest=EXCERPT)
    last = offset + len(page.rows)

    def link(place: int) -> str:
        given = {"split": split, "q": query, "where": where, "offset": place}
        return urlencode({name: value for name, value in given.items() if value})

    return {
        "page": page,
        "query": query,
        "where": where,
        "last": last,
        "earlier": link(max(0, offset - SHOWN)) if offset else "",
        "further": link(last) if last < page.total and page.rows else "",
    }


def one_row(request: HttpRequest, release: Release, split: str) -> dict[str, Any]:
    row = viewer.one(release, split, number_in(request, "row"))
    if row is None:
        raise Http404(f"{release.name} has no such row in {split}.")
    texts = [(title, row.cells[name], name in row.cut) for name, title in TITLES]
    columns = [(name, value) for name, value in row.cells.items() if name not in viewer.TEXTS]
    return {
        "row": row,
        "texts": texts,
        "columns": columns,
        "longest_cell": viewer.LONGEST_CELL,
        "previous": row.index - 1,
        "next": row.index + 1,
        "has_next": row.index + 1 < release.split_counts[split],
        "page_offset": row.index - row.index % SHOWN,
    }


def number_in(request: HttpRequest, name: str) -> int:
    """Return a number of the address; 0 if there is none. Raises ViewerError."""
    text = request.GET.get(name) or "0"
    number = whole_number(text, 0, FARTHEST)
    if number is None:
        raise viewer.ViewerError(name, f"{name} is a whole number, not {text[:20]!r}.")
    return number
