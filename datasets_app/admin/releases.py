"""Ingests, recipes, releases and exports."""

from django.contrib import admin
from django.http import HttpRequest

from datasets_app.admin.base import NoAdd, ReadOnly, WorkbenchAdmin
from datasets_app.admin.export import ReleaseExport
from datasets_app.models import Export, Ingest, Recipe, RefusedRow, Release, ReleaseRow


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


@admin.register(RefusedRow)
class RefusedRowAdmin(ReadOnly, WorkbenchAdmin):
    list_display = ["ingest", "line", "field", "reason", "value"]
    list_filter = ["field"]
    list_select_related = ["ingest"]
    search_fields = ["ingest__file_name", "reason"]


@admin.register(Recipe)
class RecipeAdmin(NoAdd, WorkbenchAdmin):
    """Recipes. Definitions are read-only: the curate page validates them when it saves."""

    list_display = ["name", "title", "builtin", "created_by", "updated_at"]
    list_filter = ["builtin"]
    list_select_related = ["created_by"]
    search_fields = ["name", "title", "description"]
    readonly_fields = ["name", "definition", "builtin", "created_by", "created_at", "updated_at"]

    def has_delete_permission(self, request: HttpRequest, obj: Recipe | None = None) -> bool:
        return (obj is None or not obj.builtin) and super().has_delete_permission(request, obj)


class ExportInline(ReadOnly, admin.TabularInline):
    model = Export
    fields = ["path", "format", "split", "state", "row_count", "size_bytes", "sha256"]
    show_change_link = True


@admin.register(Release)
class ReleaseAdmin(ReadOnly, ReleaseExport, WorkbenchAdmin):
    list_display = [
        "name",
        "title",
        "recipe_name",
        "device",
        "state",
        "row_count",
        "created_by",
        "created_at",
    ]
    list_filter = ["state", "recipe_name", "device"]
    list_select_related = ["created_by"]
    search_fields = ["name", "title", "recipe_name", "content_sha256"]
    date_hierarchy = "created_at"
    inlines = [ExportInline]


@admin.register(ReleaseRow)
class ReleaseRowAdmin(ReadOnly, WorkbenchAdmin):
    list_display = ["release", "position", "sample", "split", "reason", "verification"]
    list_filter = ["split", "reason", "release"]
    list_select_related = ["release", "sample", "verification"]
    search_fields = ["release__name", "=sample__id"]
    raw_id_fields = ["sample", "verification"]


@admin.register(Export)
class ExportAdmin(ReadOnly, WorkbenchAdmin):
    list_display = ["release", "path", "format", "split", "state", "row_count", "size_bytes", "finished_at"]
    list_filter = ["state", "format", "split"]
    list_select_related = ["release"]
    search_fields = ["release__name", "path", "sha256"]
