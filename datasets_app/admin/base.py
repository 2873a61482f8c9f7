"""Base classes of the admin pages: bounded lists, and entries in the site's audit log."""

from typing import Any

from django.contrib import admin, messages
from django.db import IntegrityError
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponseRedirect
from django.utils.html import format_html
from django.utils.safestring import SafeString

from datasets_app.accounts import audit
from datasets_app.accounts.actor import actor_of

LONGEST_SEARCH = 200


class BoundedSearch(admin.ModelAdmin):
    """Truncates search terms: SQLite's LIKE refuses patterns of more than 50,000 bytes."""

    def get_search_results(self, request: HttpRequest, queryset: QuerySet[Any], search_term: str) -> Any:
        return super().get_search_results(request, queryset, search_term[:LONGEST_SEARCH])


class WorkbenchAdmin(BoundedSearch):
    """An audited admin whose lists stay fast on a table of a hundred thousand rows."""

    show_full_result_count = False  # saves a second COUNT over the whole table
    list_per_page = 50

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Report an IntegrityError as a message: two people may submit the same unique name at once."""
        try:
            return super().changeform_view(request, *args, **kwargs)
        except IntegrityError:
            self.message_user(
                request,
                "Another entry with this name was stored just now. Choose another name.",
                messages.ERROR,
            )
            return HttpResponseRedirect(request.path)

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Name what protects the objects rather than a lacking permission, which would not help."""
        deleted, counts, lacking, protected = super().get_deleted_objects(objs, request)
        return deleted, counts, set() if protected else lacking, protected

    def log_addition(self, request: HttpRequest, obj: Model, message: Any) -> Any:
        audit.record(actor_of(request), "admin.add", obj, name=str(obj))
        return super().log_addition(request, obj, message)

    def log_change(self, request: HttpRequest, obj: Model, message: Any) -> Any:
        audit.record(actor_of(request), "admin.change", obj, name=str(obj), changes=message)
        return super().log_change(request, obj, message)

    def log_deletions(self, request: HttpRequest, queryset: QuerySet[Any]) -> Any:
        for row in queryset:
            audit.record(actor_of(request), "admin.delete", row, name=str(row))
        return super().log_deletions(request, queryset)


class NoAdd:
    """Rows that a stage creates and nobody adds by hand."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class NoChange(NoAdd):
    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ReadOnly(NoChange):
    """Rows of a log, or of a frozen result."""

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


def preformatted(text: str) -> SafeString | str:
    """Return a program or a trace with its line ends and indents, escaped."""
    return format_html("<pre>{}</pre>", text) if text else "–"
