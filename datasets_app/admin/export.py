"""Export actions: selected samples as one file at once, releases as files that a worker writes."""

import tempfile
from functools import partial
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import FileResponse, HttpRequest, HttpResponse

from datasets_app.accounts import audit
from datasets_app.accounts.actor import actor_of
from datasets_app.export import FORMATS, request_export, write_samples
from datasets_app.export.request import ExportError

MOST_SAMPLES = 2_000  # written during the request; larger exports are made as releases
Actions = dict[str, Any]  # name to (function, name, description)


def one_a_format(run: Any, described: str) -> Actions:
    """Return one action per format, named after it, such as export_jsonl."""
    return {
        f"export_{name}": (partial(run, name), f"export_{name}", described.format(title(name)))
        for name in FORMATS
    }


def title(format: str) -> str:
    return {"jsonl": "JSONL"}.get(format, format.capitalize())


class SampleExport(admin.ModelAdmin):
    def get_actions(self, request: HttpRequest) -> Actions:
        return {
            **super().get_actions(request),
            **one_a_format(export_samples, "Export selected samples as {}"),
        }


class ReleaseExport(admin.ModelAdmin):
    def get_actions(self, request: HttpRequest) -> Actions:
        return {**super().get_actions(request), **one_a_format(export_releases, "Export as {}")}


def export_samples(
    format: str, model_admin: admin.ModelAdmin, request: HttpRequest, queryset: QuerySet[Any]
) -> HttpResponse | FileResponse | None:
    count = queryset.count()
    if count > MOST_SAMPLES:
        message = (
            f"{count:,} samples are selected; at most {MOST_SAMPLES:,} can be exported here. Make a release."
        )
        model_admin.message_user(request, message, messages.ERROR)
        return None
    file = tempfile.TemporaryFile(prefix="concur-export-")  # noqa: SIM115 (the response closes it)
    write_samples(queryset.order_by(), format, file)
    file.seek(0)
    me: Any = request.user
    audit.record(actor_of(request), "samples.export", me, format=format, samples=count)
    return FileResponse(file, as_attachment=True, filename=f"samples.{format}")


def export_releases(
    format: str, model_admin: admin.ModelAdmin, request: HttpRequest, queryset: QuerySet[Any]
) -> None:
    for release in queryset:
        try:
            files = request_export(release, format, actor_of(request))
        except ExportError as error:
            model_admin.message_user(request, str(error), messages.ERROR)
        else:
            done = sum(file.state == "done" for file in files)
            summary = f"{len(files)} {format} files, {done} written already; a worker writes the rest."
            model_admin.message_user(request, f"Release {release.name}: {summary}", messages.SUCCESS)
