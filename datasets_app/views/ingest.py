"""The ingest stage's pages: upload files, follow their progress, read refused rows."""

import uuid
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.db import DatabaseError
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django_htmx.http import HttpResponseClientRefresh

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.next_page import next_page
from datasets_app.accounts.roles import Scope
from datasets_app.ingest import IngestError, cancel_ingest, start_ingests
from datasets_app.ingest.cancel import may_cancel
from datasets_app.ingest.correct import correct_row, form_fields, is_whole
from datasets_app.ingest.forms import IngestForm, mapping_in
from datasets_app.ingest.preview import preview
from datasets_app.ingest.recognition import NEEDED
from datasets_app.ingest.refusal_store import refused_response
from datasets_app.ingest.registry import options, readers
from datasets_app.ingest.sources import known_origins
from datasets_app.ingest.start import read_again
from datasets_app.models import Ingest, RefusedRow, Source
from datasets_app.views.htmx import HtmxRequest

INGESTS_A_PAGE = 30
REFUSED_A_PAGE = 50
BUDGET = (  # stated by the form
    *("UPLOAD_BYTES", "INGEST_DECODED_BYTES", "INGEST_RATIO", "INGEST_ROWS", "INGEST_REFUSED_ROWS"),
    *("INGEST_REFUSED_IN_A_ROW", "LOOK_SECONDS", "FREE_DISK_BYTES"),
)


@require(Scope.READ, "GET", "POST")
def index(request: HtmxRequest) -> HttpResponse:
    form = form_for(request)
    if request.method != "POST":
        return show_index(request, form)
    answer: HttpResponse = give(request, form)
    return answer


def form_for(request: HttpRequest) -> IngestForm:
    names_files = actor_of(request).may(Scope.ADMIN)
    if request.method == "POST":
        return IngestForm(request.POST, request.FILES, may_name_files=names_files)
    return IngestForm(may_name_files=names_files)


@require(Scope.CURATE, "POST")
def give(request: HtmxRequest, form: IngestForm) -> HttpResponse:
    """Start ingests of the files; one leads to its own page, several to the list."""
    if not form.is_valid():
        return show_index(request, form)
    files = []
    try:
        files = form.incoming_files()
        ingests = start_ingests(files, actor_of(request))
    except (OSError, DatabaseError):
        form.drop(files)
        raise
    except IngestError as error:
        form.drop(files)
        form.add_error(None, str(error))
        return show_index(request, form)
    return redirect(ingests[0] if len(ingests) == 1 else "ingest")


def show_index(request: HtmxRequest, form: IngestForm) -> HttpResponse:
    ingests = Ingest.objects.select_related("source", "created_by", "after")
    page = Paginator(ingests, INGESTS_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "moving": any(not ingest.is_finished for ingest in page),
        "stuck": any(ingest.is_stuck for ingest in page),
        "cancellable": {
            ingest.pk for ingest in page if ingest.is_open and may_cancel(actor_of(request), ingest)
        },
    }
    if request.htmx:
        return render(request, "ingest/_list.html", context)
    context |= {"form": form, "readers": readers(), "origins": known_origins(), "sources": sources()}
    context["budget"] = {name: getattr(settings, name) for name in BUDGET}
    return render(request, "ingest/index.html", context)


def sources() -> list[str]:
    """Return the names of stored sources and of the formats' data sets."""
    published = {origin.name for origin in known_origins()}
    return [name for name in Source.objects.values_list("name", flat=True)[:200] if name not in published]


@require(Scope.READ)
def detail(request: HtmxRequest, pk: uuid.UUID) -> HttpResponse:
    ingest = get_object_or_404(Ingest.objects.select_related("source", "created_by", "after"), pk=pk)
    if request.htmx:
        finished = HttpResponseClientRefresh()  # the end brings refused rows, or a decision for a person
        return (
            finished
            if ingest.is_finished
            else render(request, "ingest/_progress.html", progress(request, ingest))
        )
    rows = ingest.refused_rows.defer("raw").order_by("line", "id")
    page = Paginator(rows, REFUSED_A_PAGE).get_page(request.GET.get("page"))
    may_undo = ingest.is_finished and may_cancel(actor_of(request), ingest)
    context = {**progress(request, ingest), "page": page, "formats": options(), "may_undo": may_undo}
    if ingest.needs_a_choice and not ingest.is_unreadable:
        context["readers"] = readers()
    if ingest.needs_a_choice and actor_of(request).may(Scope.CURATE):
        context["preview"] = preview(ingest)
    return render(request, "ingest/detail.html", context)


@require(Scope.CURATE, "POST")
def again(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    ingest = get_object_or_404(Ingest, pk=pk)
    try:
        read_again(ingest, actor_of(request), request.POST.get("format", ""), mapping_in(request.POST))
    except IngestError as error:
        messages.error(request, str(error))
    return redirect(ingest)


@require(Scope.CURATE, "POST")
def cancel(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    ingest = get_object_or_404(Ingest, pk=pk)
    try:
        cancel_ingest(ingest, actor_of(request))
    except IngestError as error:
        messages.error(request, str(error))
    return HttpResponseRedirect(next_page(request, ingest.get_absolute_url()))


def progress(request: HttpRequest, ingest: Ingest) -> dict[str, Any]:
    return {
        "ingest": ingest,
        "may_cancel": ingest.is_open and may_cancel(actor_of(request), ingest),
        "problem": ingest.error.partition(NEEDED)[0],  # the page has a table of the formats instead
    }


@require(Scope.READ)
def refused(request: HttpRequest, pk: uuid.UUID) -> FileResponse:
    """Send the refused rows as a file to correct."""
    return refused_response(get_object_or_404(Ingest, pk=pk))


@require(Scope.CURATE, "GET", "POST")
def correct(request: HttpRequest, pk: uuid.UUID, row: int) -> HttpResponse:
    """Show a refused row by its columns, or ingest it as corrected; what was typed is kept if that is refused."""
    refused_row = get_object_or_404(RefusedRow.objects.select_related("ingest__source"), pk=row, ingest=pk)
    fields = form_fields(refused_row, request.POST if request.method == "POST" else None)
    fault = ""
    if request.method == "POST":
        try:
            return redirect(correct_row(refused_row, fields, actor_of(request)))
        except IngestError as error:
            fault = str(error)
    context = {"row": refused_row, "fields": fields if is_whole(refused_row) else [], "fault": fault}
    return render(request, "ingest/correct.html", context, status=400 if fault else 200)
