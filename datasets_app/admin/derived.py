"""What the site derives from its triples, and the runs that bring it up to date. Nothing here is made by hand."""

from django.contrib import admin

from datasets_app.admin.base import ReadOnly, WorkbenchAdmin
from datasets_app.models import CodeShape, ShapeBand, Upkeep


class ShapeBandInline(ReadOnly, admin.TabularInline):
    model = ShapeBand


@admin.register(CodeShape)
class CodeShapeAdmin(ReadOnly, WorkbenchAdmin):
    list_display = ["sha256", "shingle_count", "leader", "likeness"]
    list_select_related = ["leader__leader"]
    search_fields = ["sha256"]
    exclude = ["shingles", "signature"]
    inlines = [ShapeBandInline]


@admin.register(Upkeep)
class UpkeepAdmin(ReadOnly, WorkbenchAdmin):
    list_display = ["kind", "state", "done", "total", "detail", "created_by", "created_at", "finished_at"]
    list_filter = ["kind", "state"]
    list_select_related = ["created_by"]
    date_hierarchy = "created_at"
