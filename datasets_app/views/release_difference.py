"""How a release differs from another: a page of rows, and all of them as a file."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.ownership import readable_releases
from datasets_app.browse.query.hidden_reviews import hidden_from
from datasets_app.curate.difference import KINDS, ROWS_A_PAGE, difference
from datasets_app.curate.difference_file import difference_response
from datasets_app.export.viewer.rows import ViewerError
from datasets_app.models import JobState, Release
from datasets_app.views.release_rows import number_in
from datasets_app.views.releases import reads_release

LISTED = 200
NO_KIND = f"A kind of difference is one of: {', '.join(KINDS)}."
PAGE = "release/difference.html"


@login_required
@reads_release
def release_difference(request: HttpRequest, release: Release) -> HttpResponse:
    """Show how a release differs from another, by default the one that was frozen before it."""
    finished = comparable(request, release)
    others = list(finished.order_by("-created_at").only("name", "created_at")[:LISTED])
    context: dict[str, Any] = {"release": release, "others": others}
    if release.state != JobState.DONE:
        context["fault"] = f"{release.name} is {release.state}; it is compared when it is done."
        return render(request, PAGE, context, status=400)
    name = request.GET.get("from") or before(release, others)
    if not name:
        return render(request, PAGE, context)
    other = finished.filter(name=name).first()
    kind = request.GET.get("kind", "")
    if other is None or kind not in ("", *KINDS):
        context["fault"] = f"There is no other finished release {name[:80]}." if other is None else NO_KIND
        return render(request, PAGE, context, status=400)
    try:
        offset = number_in(request, "offset")
    except ViewerError as error:
        return render(request, PAGE, context | {"fault": str(error)}, status=400)
    places = {"earlier": max(0, offset - ROWS_A_PAGE), "further": offset + ROWS_A_PAGE}
    rows = difference(release, other, kind, offset, hidden_from(actor_of(request)))
    return render(request, PAGE, context | places | {"other": other, "difference": rows})


@login_required
@reads_release
def release_difference_file(request: HttpRequest, release: Release) -> HttpResponseBase:
    """Send every row that differs."""
    name = request.GET.get("from", "")
    other = comparable(request, release).filter(name=name).first()
    if other is None or release.state != JobState.DONE:
        raise Http404(f"There are no two finished releases {release.name} and {name[:80]} to compare.")
    return difference_response(release, other, hidden_from(actor_of(request)))


def comparable(request: HttpRequest, release: Release) -> Any:
    """Return the other finished releases that the visitor may read."""
    readable = readable_releases(actor_of(request)).filter(state=JobState.DONE)
    return readable.exclude(pk=release.pk).select_related(None)


def before(release: Release, others: list[Release]) -> str:
    """Return the name of the newest release that is older, or of any; empty if there is none."""
    older = [one.name for one in others if one.created_at < release.created_at]
    return next(iter(older or [one.name for one in others]), "")
