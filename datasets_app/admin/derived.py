"""Derived data, and the maintenance runs that update it. Read-only."""

from django.contrib import admin

from datasets_app.admin.base import ReadOnly, WorkbenchAdmin
from datasets_app.models import CodeShape, Evidence, EvidenceDevice, MaintenanceRun, ShapeBand


class ShapeBandInline(ReadOnly, admin.TabularInline):
    model = ShapeBand


@admin.register(CodeShape)
class CodeShapeAdmin(ReadOnly, WorkbenchAdmin):
    list_display = ["sha256", "shingle_count", "leader", "likeness"]
    list_select_related = ["leader__leader"]
    search_fields = ["sha256"]
    exclude = ["shingles", "signature"]
    inlines = [ShapeBandInline]


@admin.register(Evidence)
class EvidenceAdmin(ReadOnly, WorkbenchAdmin):
    list_display = [
        "sample",
        "device",
        "outcome",
        "speedup",
        "profile",
        "is_headline",
        "runs_disagree",
        "finished_at",
    ]
    list_filter = ["device", "outcome", "profile", "is_headline", "runs_disagree"]
    list_select_related = ["sample"]
    search_fields = ["=sample__id", "=verification__id", "device"]
    raw_id_fields = ["sample", "verification"]


@admin.register(EvidenceDevice)
class EvidenceDeviceAdmin(ReadOnly, WorkbenchAdmin):
    list_display = ["name", "kind", "verifications"]
    list_filter = ["kind"]
    search_fields = ["name"]


@admin.register(MaintenanceRun)
class MaintenanceRunAdmin(ReadOnly, WorkbenchAdmin):
    list_display = ["kind", "state", "done", "total", "detail", "created_by", "created_at", "finished_at"]
    list_filter = ["kind", "state"]
    list_select_related = ["created_by"]
    date_hierarchy = "created_at"
