"""/releases/: the releases, each with its card and files."""

from collections.abc import Iterator
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.roles import Scope
from datasets_app.curate import freeze
from datasets_app.export import FORMATS, request_export
from datasets_app.export.card import COUNT_TITLES
from datasets_app.export.package import FORMAT
from datasets_app.export.request import ExportError
from datasets_app.models import JobState, Release
from datasets_app.views.funnel import steps_with_names

LISTED = 200


@require(Scope.READ)
def release_list(request: HttpRequest) -> HttpResponse:
    releases = Release.objects.select_related("created_by").defer(
        "definition", "funnel", "counts", "versions"
    )
    return render(request, "release/list.html", {"releases": releases[:LISTED]})


@require(Scope.READ)
def release(request: HttpRequest, name: str) -> HttpResponse:
    release = get_object_or_404(Release.objects.select_related("recipe", "created_by"), name=name)
    template = "release/_card.html" if getattr(request, "htmx", None) else "release/release.html"
    return render(request, template, card_context(request, release))


def card_context(request: HttpRequest, release: Release) -> dict[str, Any]:
    files = list(release.exports.order_by("path"))
    rows = [file for file in files if file.format != FORMAT]
    return {
        "release": release,
        "files": rows,
        "papers": [file for file in files if file.format == FORMAT],
        "waiting": not release.is_finished or any(not file.is_finished for file in rows),
        "steps": steps_with_names(release.funnel),
        "counts": [(title, release.counted(key)) for key, title in COUNT_TITLES if release.counts.get(key)],
        "formats_missing": [name for name in FORMATS if name not in {file.format for file in rows}],
        "site": request.build_absolute_uri("/")[:-1],
        "versions": list(version_words(release)),
        "example": max(
            (file for file in rows if file.state == JobState.DONE and file.format == "parquet"),
            key=lambda file: file.row_count,
            default=None,
        ),
    }


def version_words(release: Release) -> Iterator[tuple[str, str]]:
    for what, version in sorted(release.versions.items()):
        words = ", ".join(version) if isinstance(version, list) else str(version)
        if words:
            yield what.replace("_", " ").capitalize(), words


@require(Scope.CURATE, "POST")
def retry(request: HttpRequest, name: str) -> HttpResponse:
    """Queue a failed release again."""
    freeze.retry(actor_of(request), get_object_or_404(Release, name=name))
    return redirect("release", name)


@require(Scope.CURATE, "POST")
def export(request: HttpRequest, name: str) -> HttpResponse:
    """Request the files of one format; failed ones are queued again."""
    try:
        release = get_object_or_404(Release, name=name)
        request_export(release, request.POST.get("format", ""), actor_of(request))
    except ExportError as error:
        messages.error(request, str(error))
    return redirect("release", name)
