"""The ingest stage's pages: give files, watch them go in, read what was refused."""

import uuid

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST
from django_htmx.http import HttpResponseClientRefresh

from datasets_app.htmx import HtmxRequest
from datasets_app.ingest import IngestError, start
from datasets_app.ingest.forms import IngestForm, mapping_in
from datasets_app.ingest.mending import mend_response
from datasets_app.ingest.preview import preview
from datasets_app.ingest.registry import options, readers
from datasets_app.ingest.sources import known_origins
from datasets_app.ingest.starting import read_again
from datasets_app.models import Ingest, Source
from datasets_app.roles import Role, Scope, may, require, role_of

INGESTS_A_PAGE = 30
REFUSED_A_PAGE = 50


def index(request: HtmxRequest) -> HttpResponse:
    form = form_for(request)
    if request.method != "POST":
        return show_index(request, form)
    answer: HttpResponse = give(request, form)
    return answer


def form_for(request: HttpRequest) -> IngestForm:
    names_files = role_of(request.user) == Role.ADMINISTRATOR
    if request.method == "POST":
        return IngestForm(request.POST, request.FILES, may_name_files=names_files)
    return IngestForm(may_name_files=names_files)


@require(Scope.CURATE)
def give(request: HtmxRequest, form: IngestForm) -> HttpResponse:
    """Take the files in; one leads to its own page, several to the list."""
    if not form.is_valid():
        return show_index(request, form)
    given = []
    try:
        given = form.given()
        made = start(given, request.user)
    except IngestError as error:
        form.drop(given)
        form.add_error(None, str(error))
        return show_index(request, form)
    return redirect(made[0] if len(made) == 1 else "ingest")


def show_index(request: HtmxRequest, form: IngestForm) -> HttpResponse:
    ingests = Ingest.objects.select_related("source", "created_by", "after")
    page = Paginator(ingests, INGESTS_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "moving": any(not ingest.is_finished for ingest in page),
        "stuck": any(ingest.is_stuck for ingest in page),
    }
    if request.htmx:
        return render(request, "ingest/_list.html", context)
    context |= {"form": form, "readers": readers(), "origins": known_origins(), "sources": sources()}
    return render(request, "ingest/index.html", context)


def sources() -> list[str]:
    """Names of stored sources, beside those that the formats know."""
    known = {origin.name for origin in known_origins()}
    return [name for name in Source.objects.values_list("name", flat=True)[:200] if name not in known]


def detail(request: HtmxRequest, pk: uuid.UUID) -> HttpResponse:
    ingest = get_object_or_404(Ingest.objects.select_related("source", "created_by", "after"), pk=pk)
    if request.htmx:
        finished = HttpResponseClientRefresh()  # the end brings the refused rows, or a choice to be made
        return (
            finished if ingest.is_finished else render(request, "ingest/_progress.html", {"ingest": ingest})
        )
    rows = ingest.refused_rows.defer("raw").order_by("line", "id")
    page = Paginator(rows, REFUSED_A_PAGE).get_page(request.GET.get("page"))
    context = {"ingest": ingest, "page": page, "formats": options()}
    if ingest.needs_a_choice and may(request.user, Scope.CURATE):
        context["preview"] = preview(ingest)
    return render(request, "ingest/detail.html", context)


@require_POST
@require(Scope.CURATE)
def again(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    ingest = get_object_or_404(Ingest, pk=pk)
    try:
        read_again(ingest, request.user, request.POST.get("format", ""), mapping_in(request.POST))
    except IngestError as error:
        messages.error(request, str(error))
    return redirect(ingest)


def refused(request: HttpRequest, pk: uuid.UUID) -> StreamingHttpResponse:
    """The file to mend, streamed."""
    return mend_response(get_object_or_404(Ingest, pk=pk))
