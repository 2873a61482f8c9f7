"""/releases/: the releases, each with its card and files."""

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.guard import methods, require
from datasets_app.accounts.ownership import readable_releases
from datasets_app.accounts.roles import Scope
from datasets_app.curate import freeze
from datasets_app.export.bins import counted
from datasets_app.export.card import COUNT_TITLES
from datasets_app.export.package import FORMAT
from datasets_app.export.readable import NeedsAccountError, find_readable
from datasets_app.export.viewer import rows as viewer
from datasets_app.export.viewer.rows import RowPage
from datasets_app.models import JobState, Publication, Release, Visibility
from datasets_app.models.publication import READERS
from datasets_app.models.release import ARCHIVE
from datasets_app.views.funnel import steps_with_names

LISTED = 200
FIRST_ROWS = 8  # on the release's page
EXCERPT = 120  # characters of a text there


@login_not_required
@methods("GET")
def release_list(request: HttpRequest) -> HttpResponse:
    """List the releases that the visitor may read: a stranger's are the public ones."""
    releases = readable_releases(actor_of(request)).select_related("created_by")
    releases = releases.select_related("stored_publication__superseded_by")
    newest = releases.defer("definition", "funnel", "counts", "versions")[:LISTED]
    rows = [(release, Publication.of(release)) for release in newest]
    return render(request, "release/list.html", {"releases": rows})


def reads_release(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Guard a page of a release, which the view is passed: a public one is open to strangers, who else sign in."""

    @login_not_required
    @wraps(view)
    def found(request: HttpRequest, name: str) -> HttpResponseBase:
        try:
            release = find_readable(name, actor_of(request))
        except NeedsAccountError:
            return redirect_to_login(request.get_full_path())
        return methods("GET")(view)(request, release)

    return found


@reads_release
def release(request: HttpRequest, release: Release) -> HttpResponse:
    template = "release/_card.html" if getattr(request, "htmx", None) else "release/release.html"
    return render(request, template, card_context(request, release))


def card_context(request: HttpRequest, release: Release) -> dict[str, Any]:
    files = list(release.exports.order_by("path"))
    rows = [file for file in files if file.split]
    return {
        "release": release,
        **publication_context(request, release),
        "page": first_rows(release),
        "files": rows,
        "papers": [file for file in files if file.format == FORMAT],
        "archive": next((file for file in files if file.format == ARCHIVE), None),
        "waiting": not release.is_finished or any(not file.is_finished for file in files),
        "steps": steps_with_names(release.funnel),
        "counts": [(title, counted(release, key)) for key, title in COUNT_TITLES if release.counts.get(key)],
        "site": request.build_absolute_uri("/")[:-1],
        "versions": list(version_words(release)),
        "example": max(
            (file for file in rows if file.state == JobState.DONE and file.format == "parquet"),
            key=lambda file: file.row_count,
            default=None,
        ),
    }


def first_rows(release: Release) -> RowPage | None:
    """Return the first rows of the first split; None while there are none, and for a release without rows."""
    if release.state != JobState.DONE or not release.splits:
        return None
    return viewer.page(release, release.splits[0][0], 0, FIRST_ROWS, longest=EXCERPT)


def publication_context(request: HttpRequest, release: Release) -> dict[str, Any]:
    """Return who may read the release, its yank and its successor; what was typed into a refused form comes first."""
    actor, publication = actor_of(request), Publication.of(release)
    newer = publication.superseded_by
    shown = newer is not None and readable_releases(actor).filter(pk=newer.pk).exists()
    context: dict[str, Any] = {"publication": publication, "superseded_by": newer if shown else None}
    if not actor.may(Scope.CURATE):
        return context
    typed = request.POST
    names = (
        publication.readers.values_list("username", flat=True).order_by("username") if publication.pk else []
    )
    return context | {
        "visibilities": [(one.value, one.label, READERS[one]) for one in Visibility],
        "chosen_visibility": typed.get("visibility", publication.visibility),
        "reader_names": typed.get("readers", "\n".join(names)),
        "description": typed.get("description", publication.prose),
        "successor": typed.get("superseded_by", newer.name if newer else ""),
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
