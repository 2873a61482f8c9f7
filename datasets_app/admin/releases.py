"""Ingests, recipes, releases and exports."""

from functools import partial
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from datasets_app.accounts.actor import actor_of
from datasets_app.admin.base import NoAdd, ReadOnly, WorkbenchAdmin
from datasets_app.admin.export import ReleaseExport
from datasets_app.export.publication import set_visibility
from datasets_app.models import (
    Export,
    Ingest,
    IngestUndo,
    Publication,
    Recipe,
    RecipeVersion,
    RefusedRow,
    Release,
    ReleaseRow,
    TableExport,
    Visibility,
)


@admin.register(Ingest)
class IngestAdmin(ReadOnly, WorkbenchAdmin):
    list_display = [
        "file_name",
        "format",
        "source",
        "state",
        "rows",
        "new_tasks",
        "new_samples",
        "duplicates",
        "refused",
        "created_by",
        "created_at",
    ]
    list_filter = ["state", "format", "source"]
    list_select_related = ["source", "created_by"]
    search_fields = ["file_name", "sha256"]
    date_hierarchy = "created_at"


@admin.register(IngestUndo)
class IngestUndoAdmin(ReadOnly, WorkbenchAdmin):
    list_display = ["ingest", "restores", "state", "done", "total", "created_by", "created_at", "finished_at"]
    list_filter = ["state", "restores"]
    list_select_related = ["ingest", "created_by"]
    search_fields = ["ingest__file_name", "reason"]


@admin.register(RefusedRow)
class RefusedRowAdmin(ReadOnly, WorkbenchAdmin):
    list_display = ["ingest", "line", "field", "reason", "value"]
    list_filter = ["field"]
    list_select_related = ["ingest"]
    search_fields = ["ingest__file_name", "reason"]


class RecipeVersionInline(ReadOnly, admin.TabularInline):
    model = RecipeVersion
    fields = ["number", "message", "created_by", "created_at", "definition"]
    readonly_fields = ["number", "message", "created_by", "created_at", "definition"]


@admin.register(Recipe)
class RecipeAdmin(NoAdd, WorkbenchAdmin):
    """Recipes. Definitions are read-only: the curate page validates them when it saves."""

    list_display = ["name", "title", "version", "builtin", "created_by", "updated_at"]
    list_filter = ["builtin"]
    list_select_related = ["created_by"]
    search_fields = ["name", "title", "description"]
    readonly_fields = [
        "name",
        "definition",
        "version",
        "save_count",
        "builtin",
        "created_by",
        "created_at",
        "updated_at",
    ]
    inlines = [RecipeVersionInline]

    def has_delete_permission(self, request: HttpRequest, obj: Recipe | None = None) -> bool:
        return (obj is None or not obj.builtin) and super().has_delete_permission(request, obj)


class ExportInline(ReadOnly, admin.TabularInline):
    model = Export
    fields = ["path", "format", "split", "state", "row_count", "size_bytes", "sha256"]
    show_change_link = True


class PublicationInline(ReadOnly, admin.StackedInline):
    model = Publication
    fk_name = "release"
    fields = ["visibility", "readers", "yanked_at", "yanked_by", "yank_reason", "superseded_by"]


@admin.register(Release)
class ReleaseAdmin(ReadOnly, ReleaseExport, WorkbenchAdmin):
    list_display = [
        "name",
        "title",
        "recipe_name",
        "recipe_version",
        "device",
        "state",
        "row_count",
        "created_by",
        "created_at",
        "export_link",
    ]
    list_filter = ["state", "recipe_name", "device"]
    list_select_related = ["created_by"]
    search_fields = ["name", "title", "recipe_name", "content_sha256"]
    date_hierarchy = "created_at"
    inlines = [PublicationInline, ExportInline]

    def get_actions(self, request: HttpRequest) -> Any:
        made = {
            f"make_{value}": (partial(change_visibility, value), f"make_{value}", f"Make readable: {words}")
            for value, words in Visibility.choices
        }
        return {**super().get_actions(request), **made}


def change_visibility(
    visibility: str, model_admin: admin.ModelAdmin, request: HttpRequest, queryset: QuerySet[Any]
) -> None:
    """Call the verb for each release. Yanking needs a reason: that is on the release's page."""
    for release in queryset:
        set_visibility(release, visibility, actor=actor_of(request))
    words = Visibility(visibility).label
    model_admin.message_user(request, f"{len(queryset)} releases are {words} now.", messages.SUCCESS)


@admin.register(ReleaseRow)
class ReleaseRowAdmin(ReadOnly, WorkbenchAdmin):
    list_display = ["release", "position", "sample", "split", "reason", "verification"]
    list_filter = ["split", "reason", "release"]
    list_select_related = ["release", "sample", "verification"]
    search_fields = ["release__name", "=sample__id"]
    raw_id_fields = ["sample", "verification"]


@admin.register(TableExport)
class TableExportAdmin(ReadOnly, WorkbenchAdmin):
    list_display = ["table", "format", "state", "done", "total", "size_bytes", "created_by", "created_at"]
    list_filter = ["state", "table", "format"]
    list_select_related = ["created_by"]


@admin.register(Export)
class ExportAdmin(ReadOnly, WorkbenchAdmin):
    list_display = ["release", "path", "format", "split", "state", "row_count", "size_bytes", "finished_at"]
    list_filter = ["state", "format", "split"]
    list_select_related = ["release"]
    search_fields = ["release__name", "path", "sha256"]
