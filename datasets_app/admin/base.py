"""What every admin page of the site shares: cheap lists, and the same audit log as everywhere else."""

from typing import Any

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from datasets_app import audit


class WorkbenchAdmin(admin.ModelAdmin):
    """An audited admin whose lists stay cheap on a table of a hundred thousand rows."""

    show_full_result_count = False  # a second COUNT over the whole table tells nobody anything
    list_per_page = 50

    def log_addition(self, request: HttpRequest, obj: Model, message: Any) -> Any:
        audit.record(request.user, "admin.add", obj, name=str(obj))
        return super().log_addition(request, obj, message)

    def log_change(self, request: HttpRequest, obj: Model, message: Any) -> Any:
        audit.record(request.user, "admin.change", obj, name=str(obj), changes=message)
        return super().log_change(request, obj, message)

    def log_deletions(self, request: HttpRequest, queryset: QuerySet[Any]) -> Any:
        for row in queryset:
            audit.record(request.user, "admin.delete", row, name=str(row))
        return super().log_deletions(request, queryset)


class NoAdd:
    """Rows that come in by a stage of their own, not by hand."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class NoChange(NoAdd):
    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ReadOnly(NoChange):
    """Rows of a log, or of something frozen."""

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


def preformatted(text: str) -> SafeString | str:
    """A program or a trace with its line ends and indents, escaped."""
    return format_html("<pre>{}</pre>", text) if text else "–"
