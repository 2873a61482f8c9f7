"""/exports/: tables of samples, reviews, verifications and tasks as files, written by a worker."""

from __future__ import annotations

import uuid
from typing import Any

from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render

from datasets_app.accounts.actor import Actor, actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.roles import Scope
from datasets_app.export.sending import send_file
from datasets_app.export.table_files import file_of, request_table
from datasets_app.export.tables import TABLES, WRITABLE, TableError
from datasets_app.models import JobState, TableExport
from datasets_app.views.htmx import HtmxRequest

SHOWN = 20


@require(Scope.CURATE, "GET", "POST")
def tables(request: HttpRequest) -> HttpResponse:
    """Show the tables, or one with its columns; ask for its file."""
    asked = request.POST if request.method == "POST" else request.GET
    table = TABLES.get(asked.get("table", ""))
    fault = ""
    if request.method == "POST":
        names, format = request.POST.getlist("column"), request.POST.get("format", "")
        try:
            return redirect(request_table(asked.get("table", ""), names, format, None, actor_of(request)))
        except TableError as error:
            fault = str(error)
    picked = (
        request.POST.getlist("column")
        if fault
        else [column.name for column in table.columns]
        if table
        else []
    )
    context = {
        "tables": TABLES.values(),
        "table": table,
        "columns": [(column, column.name in picked) for column in table.columns] if table else [],
        "formats": [(name, made.title) for name, made in WRITABLE.items()],
        "format": asked.get("format", "csv"),
        "fault": fault,
        "exports": own(actor_of(request)).select_related("created_by")[:SHOWN],
    }
    return render(request, "table_export/tables.html", context, status=400 if fault else 200)


@require(Scope.CURATE)
def table_export(request: HtmxRequest, pk: uuid.UUID) -> HttpResponse:
    """Show how far a file is, and then the file."""
    export = get_object_or_404(own(actor_of(request)), pk=pk)
    gone = export.state == JobState.DONE and not file_of(export).is_file()
    template = "table_export/_progress.html" if request.htmx else "table_export/table_export.html"
    title = WRITABLE[export.format].title
    return render(request, template, {"export": export, "gone": gone, "format_title": title})


@require(Scope.CURATE)
def table_file(request: HttpRequest, pk: uuid.UUID) -> HttpResponseBase:
    export = get_object_or_404(own(actor_of(request)), pk=pk, state=JobState.DONE)
    if not file_of(export).is_file():
        raise Http404("There is no such file; exports of tables are kept for a week. Export the table again.")
    made = WRITABLE[export.format]
    response = send_file(file_of(export), made.media_type)
    response.headers["Content-Disposition"] = f'attachment; filename="{export.table}.{made.suffix}"'
    return response


def own(actor: Actor) -> Any:
    """Return the exports that the actor may see: their own, or all for an administrator."""
    return TableExport.objects.filter(Q() if actor.may(Scope.ADMIN) else Q(created_by=actor.user))
