"""The audit log and failed sign-ins."""

from django.contrib import admin

from datasets_app.admin.base import NoChange, ReadOnly, WorkbenchAdmin
from datasets_app.models import AuditEntry, LoginFailure


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnly, WorkbenchAdmin):
    list_display = ["at", "actor_name", "via", "action", "target_type", "target_id", "detail"]
    list_filter = ["action", "via", "target_type", ("actor", admin.RelatedOnlyFieldListFilter)]
    search_fields = ["actor_name", "=target_id", "action"]
    date_hierarchy = "at"


@admin.register(LoginFailure)
class LoginFailureAdmin(NoChange, WorkbenchAdmin):
    """Failed sign-ins; deleting those of a name lets it try again at once."""

    list_display = ["name", "address", "device", "at"]
    search_fields = ["name", "address"]
