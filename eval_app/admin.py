"""The verify stage in Django's admin: to look at. What a verification found is never edited."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from datasets_app.admin.base import BoundedSearch
from datasets_app.models import Baseline, Finding, Verification, VerificationReport
from eval_app.models import Worker


class ReadOnly(BoundedSearch):
    """Append-only rows: the code that runs verifications writes them, nobody else."""

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class FindingInline(admin.TabularInline):
    model = Finding
    extra = 0
    can_delete = False

    def has_add_permission(self, *args: Any) -> bool:
        return False

    def has_change_permission(self, *args: Any) -> bool:
        return False


@admin.register(Verification)
class VerificationAdmin(ReadOnly):
    list_display = ["id", "sample_id", "state", "outcome", "speedup", "device", "profile", "created_at"]
    list_filter = ["state", "outcome", "wanted_device", "profile"]
    search_fields = ["id__exact", "sample__id__exact", "device"]
    raw_id_fields = ["sample", "requested_by"]
    show_full_result_count = False
    inlines = [FindingInline]


@admin.register(VerificationReport)
class VerificationReportAdmin(ReadOnly):
    list_display = ["verification_id"]
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).defer("report")


@admin.register(Finding)
class FindingAdmin(ReadOnly):
    list_display = ["code", "severity", "verification_id", "detail"]
    list_filter = ["severity", "code"]
    show_full_result_count = False


@admin.register(Baseline)
class BaselineAdmin(ReadOnly):
    list_display = ["task_id", "device", "mode", "median_ms", "sample_count", "measured_at"]
    list_filter = ["mode", "device"]
    show_full_result_count = False


@admin.register(Worker)
class WorkerAdmin(ReadOnly):
    """A worker that is gone for good may be taken off the list."""

    list_display = ["name", "state", "healthy", "busy", "lanes", "seen_at"]

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.is_superuser
