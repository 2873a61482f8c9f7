"""The machines of the verify stage in Django's admin."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from datasets_app.admin.base import BoundedSearch
from eval_app.models import VerificationBatch, Worker


class ReadOnly(BoundedSearch):
    """Append-only rows: the code that runs verifications writes them, nobody else."""

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Worker)
class WorkerAdmin(ReadOnly):
    """A worker that is gone for good may be taken off the list."""

    list_display = ["name", "state", "healthy", "busy", "lanes", "seen_at"]

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.is_superuser


@admin.register(VerificationBatch)
class VerificationBatchAdmin(ReadOnly):
    """What was requested together, and by whom."""

    list_display = ["title", "requested_by", "created_at"]
    list_select_related = ["requested_by"]
    search_fields = ["title", "requested_by__username"]
