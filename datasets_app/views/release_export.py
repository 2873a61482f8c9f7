"""/releases/NAME/export/: choose a format of a release's files, see the first record, and make them."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.roles import Scope
from datasets_app.export import FORMATS, request_export
from datasets_app.export.errors import ExportError
from datasets_app.export.form import ExportForm, form_of
from datasets_app.models import Release


@require(Scope.CURATE, "GET", "POST")
def export(request: HttpRequest, name: str) -> HttpResponse:
    """Show the formats, or one with its options; make its files, or preview them. Failed files are queued again."""
    release = get_object_or_404(Release, name=name)
    data = request.POST if request.method == "POST" else request.GET
    try:
        form = form_of(data) if "format" in data or request.method == "POST" else None
    except ExportError as error:
        messages.error(request, str(error))
        return redirect("release", name)
    if form is None or request.method != "POST":
        return page(request, release, form)
    if data.get("do") == "preview":
        form.look(release)
        return page(request, release, form)
    return make(request, release, form)


def make(request: HttpRequest, release: Release, form: ExportForm) -> HttpResponse:
    again = release.exports.filter(path=request.POST.get("file", ""), format=form.made.name).first()
    try:
        request_export(release, form.made.name, actor_of(request), again.options if again else form.chosen)
    except ExportError as error:
        form.refuse(error)
        return page(request, release, form)
    return redirect("release", release.name)


def page(request: HttpRequest, release: Release, form: ExportForm | None) -> HttpResponse:
    present = set(release.exports.values_list("format", flat=True))
    context = {"release": release, "form": form, "formats": FORMATS.values(), "present": present}
    wrong = form is not None and bool(form.faults or form.fault)
    return render(request, "release/export.html", context, status=400 if wrong else 200)
