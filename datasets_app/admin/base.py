"""Base classes of the admin pages: bounded lists, and entries in the site's audit log."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.db import IntegrityError
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponseRedirect
from django.utils.html import format_html
from django.utils.safestring import SafeString

from datasets_app.accounts import audit
from datasets_app.accounts.actor import actor_of
from datasets_app.admin import states
from datasets_app.browse import formats

LONGEST_SEARCH = 200
# The relations of records without a page of their own, the nearest first.
OWNERS = ("verification", "sample", "release", "recipe", "ingest", "task")


class BoundedSearch(admin.ModelAdmin):
    """Truncates search terms: SQLite's LIKE refuses patterns of more than 50,000 bytes."""

    def get_search_results(self, request: HttpRequest, queryset: QuerySet[Any], search_term: str) -> Any:
        return super().get_search_results(request, queryset, search_term[:LONGEST_SEARCH])


class WorkbenchAdmin(BoundedSearch):
    """An audited admin whose lists stay fast on a table of a hundred thousand rows."""

    show_full_result_count = False  # saves a second COUNT over the whole table
    list_per_page = 50

    def view_on_site(self, obj: Model) -> str | None:  # type: ignore[override]
        """Return the site's page of this record, or of what it belongs to; None if there is none."""
        belongs_to = (getattr(obj, name, None) for name in OWNERS)
        shown = next((one for one in (obj, *belongs_to) if hasattr(one, "get_absolute_url")), None)
        return shown.get_absolute_url() if shown else None

    def get_list_display(self, request: HttpRequest) -> Any:
        return states.columns(self.model, super().get_list_display(request))

    def get_list_filter(self, request: HttpRequest) -> Any:
        return states.filters(self.model, super().get_list_filter(request))

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """Name the list after its rows: most of the lists are there to be read."""
        title = str(self.opts.verbose_name_plural)
        named = {"title": title[:1].upper() + title[1:]}
        return super().changelist_view(request, named | (extra_context or {}))

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


def speedup_column(field: str, words: str) -> Callable[[Model], str]:
    """Return a column of a list that shows a speedup as the site's own pages do."""

    @admin.display(description=words, ordering=field)
    def shown(row: Model) -> str:
        return formats.speedup(getattr(row, field))

    shown.__name__ = words  # names the column's class
    return shown


def count_column(field: str, words: str) -> Callable[[Model], str]:
    """Return a column of a list that shows a number with its thousands apart."""

    @admin.display(description=words, ordering=field)
    def shown(row: Model) -> str:
        count = getattr(row, field)
        return "–" if count is None else f"{count:,}"

    shown.__name__ = field
    return shown


def preformatted(text: str) -> SafeString | str:
    """Return a program or a trace with its line ends and indents, escaped."""
    return format_html("<pre>{}</pre>", text) if text else "–"
