"""Exports: the rows of a list with chosen columns and format, and the file of a release's split."""

import tempfile
from typing import Any, ClassVar

from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.utils import model_ngettext
from django.db.models import QuerySet
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from datasets_app.accounts import audit
from datasets_app.accounts.actor import actor_of
from datasets_app.export import FORMATS, download, request_export
from datasets_app.export.errors import ExportError
from datasets_app.export.options import DEFAULT
from datasets_app.export.table_files import request_table
from datasets_app.export.tables import WRITABLE, Table, TableError, write_table
from datasets_app.models import Export, JobState, Release
from datasets_app.text_input.numbers import row_id

REFRESH_SECONDS = "2"


class TableExport(admin.ModelAdmin):
    """Adds the action that exports the selected rows, or all that the list's filter matches."""

    table: ClassVar[Table]
    actions = ["export_rows"]

    @admin.action(description="Export selected rows…", permissions=["view"])
    def export_rows(self, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponseBase | None:
        """Ask for columns and format, then send the file; a selection that is too large goes to a worker."""
        count = queryset.count()
        if "format" not in request.POST:
            return self.ask(request, count)
        names, format = request.POST.getlist("column"), request.POST["format"]
        if count > self.table.most_rows:
            return self.leave_to_a_worker(request, queryset, names, format)
        file = tempfile.TemporaryFile(prefix="concur-export-")  # noqa: SIM115 (the response closes it)
        try:
            write_table(self.table, queryset, names, format, file)
        except TableError as error:
            file.close()
            return self.ask(request, count, str(error))
        me: Any = request.user
        recorded = {"format": format, "columns": names, self.table.name: count}
        audit.record(actor_of(request), f"{self.table.name}.export", me, **recorded)
        file.seek(0)
        name, media_type = f"{self.table.name}.{format}", WRITABLE[format].media_type
        return FileResponse(file, as_attachment=True, filename=name, content_type=media_type)

    def ask(self, request: HttpRequest, count: int, fault: str = "") -> HttpResponse:
        picked = request.POST.getlist("column") or [column.name for column in self.table.columns]
        context = self.admin_site.each_context(request) | {
            "title": f"Export {count:,} {model_ngettext(self.opts, count)}",
            "table": self.table,
            "rows": [(column, column.name in picked) for column in self.table.columns],
            "formats": [(name, made.title) for name, made in WRITABLE.items()],
            "format": request.POST.get("format", "csv"),
            "selected": request.POST.getlist(ACTION_CHECKBOX_NAME),
            "across": request.POST.get("select_across", "0"),
            "too_many": count > self.table.most_rows,
            "fault": fault,
            "back": request.get_full_path(),
        }
        return render(request, "admin/export_rows.html", context, status=400 if fault else 200)

    def leave_to_a_worker(
        self, request: HttpRequest, queryset: QuerySet[Any], names: list[str], format: str
    ) -> HttpResponseBase:
        """Let a worker write these rows; its page shows its progress and then the file."""
        try:
            return redirect(request_table(self.table.name, names, format, queryset, actor_of(request)))
        except TableError as error:
            return self.ask(request, queryset.count(), str(error))


class ReleaseExport(admin.ModelAdmin):
    """Adds a page to each release: choose a split and a format, get the file."""

    def get_urls(self) -> list[URLPattern]:
        own = path(
            "<path:object_id>/export/",
            self.admin_site.admin_view(self.export_page),
            name="datasets_app_release_export",
        )
        return [own, *super().get_urls()]

    @admin.display(description="export")
    def export_link(self, release: Release) -> SafeString | str:
        if release.state != JobState.DONE:
            return "–"
        address = reverse("admin:datasets_app_release_export", args=[release.pk])
        return format_html('<a href="{}">Export…</a>', address)

    def export_page(self, request: HttpRequest, object_id: str) -> HttpResponseBase:
        """Show the form; once asked, send the file, or show how far the worker is until it is written."""
        release = get_object_or_404(Release, pk=row_id(object_id))
        asked = request.POST if request.method == "POST" else request.GET
        format, split = asked.get("format", ""), asked.get("split", "")
        fault, files = "", list(files_of(release, format, split))
        if request.method == "POST":
            try:
                files = ask_for(release, format, split, request)
            except ExportError as error:
                fault = str(error)
            else:
                if len(files) == 1 and files[0].state == JobState.DONE:
                    return download.answer(request, files[0])
                return HttpResponseRedirect(f"{request.path}?format={format}&split={split}")
        context = self.admin_site.each_context(request) | {
            "title": f"Export {release.name}",
            "release": release,
            "splits": [(name, count) for name, count in release.split_counts.items() if count],
            "formats": [(name, made.title, made.means) for name, made in FORMATS.items()],
            "format": format,
            "split": split,
            "files": files,
            "fault": fault,
        }
        response = render(request, "admin/export_release.html", context, status=400 if fault else 200)
        if any(not file.is_finished for file in files):
            response.headers["Refresh"] = REFRESH_SECONDS
        return response


def files_of(release: Release, format: str, split: str) -> QuerySet[Export]:
    """Return the files of a split with the format's usual options."""
    usual = release.exports.filter(format=format, split=split, options=DEFAULT.to_json())
    return usual.order_by("path")


def ask_for(release: Release, format: str, split: str, request: HttpRequest) -> list[Export]:
    """Return the files of a split, queued if they are not written yet. Raises ExportError."""
    if not release.split_counts.get(split):
        raise ExportError(f"Release {release.name} has no rows in the split {split[:40]!r}; choose another.")
    request_export(release, format, actor_of(request))
    if not (files := list(files_of(release, format, split))):
        raise ExportError(
            f"The split {split} has nothing for {FORMATS[format].title}. {FORMATS[format].nothing}"
        )
    return files
