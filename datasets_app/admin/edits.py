"""Edits and their versions, read-only: their verbs are on the site's pages."""

from django.contrib import admin

from datasets_app.admin.base import ReadOnly, WorkbenchAdmin
from datasets_app.models import Edit, EditVersion


@admin.register(Edit)
class EditAdmin(ReadOnly, WorkbenchAdmin):
    list_display = ["id", "base", "author", "state", "created_at"]
    list_filter = ["state"]
    list_select_related = ["base", "author"]
    search_fields = ["author__username", "reason", "=base__id"]
    date_hierarchy = "created_at"


@admin.register(EditVersion)
class EditVersionAdmin(ReadOnly, WorkbenchAdmin):
    list_display = ["edit", "number", "language", "content_id", "created_at"]
    list_select_related = ["edit"]
    search_fields = ["=content_id"]
