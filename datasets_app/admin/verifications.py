"""Verifications with their reports and findings. Read-only: only the code that runs them writes them."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from datasets_app.admin.base import ReadOnly, WorkbenchAdmin, speedup_column
from datasets_app.admin.export import TableExport
from datasets_app.export.tables import VERIFICATIONS
from datasets_app.models import (
    Baseline,
    Environment,
    Finding,
    MachineCode,
    StageChange,
    Verification,
    VerificationReport,
)


class FindingInline(ReadOnly, admin.TabularInline):
    model = Finding


class StageChangeInline(ReadOnly, admin.TabularInline):
    model = StageChange


@admin.register(Verification)
class VerificationAdmin(ReadOnly, TableExport, WorkbenchAdmin):
    table = VERIFICATIONS
    list_display = [
        "id",
        "sample_id",
        "state",
        "outcome",
        speedup_column("speedup", "speedup"),
        "device",
        "profile",
        "created_at",
    ]
    list_filter = ["state", "outcome", "wanted_device", "profile"]
    search_fields = ["=id", "=sample__id", "device"]
    raw_id_fields = ["sample", "requested_by"]
    inlines = [FindingInline, StageChangeInline]


@admin.register(VerificationReport)
class VerificationReportAdmin(ReadOnly, WorkbenchAdmin):
    list_display = ["verification_id"]

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).defer("report")


@admin.register(MachineCode)
class MachineCodeAdmin(ReadOnly, WorkbenchAdmin):
    list_display = ["verification_id", "kind", "line_count"]
    list_filter = ["kind"]
    raw_id_fields = ["verification"]

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).defer("text")


@admin.register(Finding)
class FindingAdmin(ReadOnly, WorkbenchAdmin):
    list_display = ["code", "severity", "verification_id", "detail"]
    list_filter = ["severity", "code"]
    raw_id_fields = ["verification"]


@admin.register(Baseline)
class BaselineAdmin(ReadOnly, WorkbenchAdmin):
    list_display = ["task_id", "device", "mode", "median_ms", "sample_count", "measured_at"]
    list_filter = ["mode", "device"]
    raw_id_fields = ["task"]


@admin.register(Environment)
class EnvironmentAdmin(ReadOnly, WorkbenchAdmin):
    list_display = ["key", "device", "engine", "torch", "toolkit", "driver", "changed"]
    list_filter = ["kind", "device", "engine"]
    search_fields = ["key", "device"]
