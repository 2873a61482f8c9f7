"""Tags, saved views, assignments and bulk actions."""

from django.contrib import admin

from datasets_app.admin.base import NoAdd, NoChange, ReadOnly, WorkbenchAdmin
from datasets_app.models import Assignment, BulkAction, BulkChange, DefaultView, SampleTag, SavedView, Tag


@admin.register(Tag)
class TagAdmin(WorkbenchAdmin):
    list_display = ["name", "colour", "created_by", "created_at"]
    list_filter = ["colour"]
    list_select_related = ["created_by"]
    search_fields = ["name"]
    readonly_fields = ["created_by"]


@admin.register(SampleTag)
class SampleTagAdmin(NoChange, WorkbenchAdmin):
    list_display = ["tag", "sample_id", "added_by", "added_at"]
    list_select_related = ["tag", "added_by"]
    search_fields = ["tag__name", "=sample__id"]


@admin.register(Assignment)
class AssignmentAdmin(NoChange, WorkbenchAdmin):
    list_display = ["sample_id", "reviewer", "assigned_by", "assigned_at"]
    list_select_related = ["reviewer", "assigned_by"]
    search_fields = ["reviewer__username", "=sample__id"]


@admin.register(SavedView)
class SavedViewAdmin(NoAdd, WorkbenchAdmin):
    list_display = ["name", "owner", "shared", "updated_at", "deleted_at"]
    list_filter = ["shared"]
    list_select_related = ["owner"]
    search_fields = ["name", "owner__username"]
    readonly_fields = ["owner", "query"]


@admin.register(DefaultView)
class DefaultViewAdmin(NoChange, WorkbenchAdmin):
    list_display = ["user", "view"]
    list_select_related = ["user", "view"]


@admin.register(BulkAction)
class BulkActionAdmin(ReadOnly, WorkbenchAdmin):
    list_display = ["action", "actor", "state", "total", "changed", "created_at", "finished_at"]
    list_filter = ["action", "state"]
    list_select_related = ["actor"]
    exclude = ["ids"]  # up to a thousand of them


@admin.register(BulkChange)
class BulkChangeAdmin(ReadOnly, WorkbenchAdmin):
    list_display = ["bulk_id", "sample_id"]
    search_fields = ["=bulk__id", "=sample__id"]
