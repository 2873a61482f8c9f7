"""The admin site: restricted to administrators, with the site's own sign-in page.

It is not in the package of the admin's modules: Django creates the site when the first of them registers a model, and
importing the others at that moment would register theirs with a second site, which is discarded.
"""

from typing import Any

from django.contrib import admin
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.decorators import method_decorator

from datasets_app.accounts.next_page import next_page
from datasets_app.accounts.roles import Role, role_of

# The index in the order of the stages, the models that administrators need most first. A model that is missing here is
# in the last section.
SECTIONS = {
    "Samples": ("Sample", "Task", "Source", "Operator", "SampleWithdrawal"),
    "Synthesis": ("Synthesis", "Candidate", "Loop", "EvaluationRun", "TaskSet", "TaskSetMember"),
    "Ingest": ("Ingest", "IngestUndo", "RefusedRow"),
    "Lists": ("Tag", "SampleTag", "SavedView", "DefaultView", "BulkAction", "BulkChange"),
    "Verification": (
        "Verification",
        "Finding",
        "VerificationReport",
        "VerificationBatch",
        "Worker",
        "Baseline",
        "Environment",
        "MachineCode",
    ),
    "Review": (
        "Review",
        "ReviewQueue",
        "QueueItem",
        "ReviewClaim",
        "ReviewDraft",
        "ReviewSkip",
        "ReviewWithdrawal",
        "Assignment",
        "RubricVersion",
        "Note",
        "Suggestion",
        "SuggestionAnswer",
        "Preference",
        "PreferenceWithdrawal",
        "Honeypot",
        "Edit",
        "EditVersion",
    ),
    "Curation": ("Release", "Export", "TableExport", "Recipe", "ReleaseRow"),
    "Webhooks": ("Webhook", "WebhookDelivery"),
    "People": ("User", "Invitation", "ApiToken", "SecondFactor", "LoginFailure"),
    "Records": ("AuditEntry", "MaintenanceRun", "Evidence", "EvidenceDevice", "CodeShape"),
}
LAST_SECTION = "Others"


class WorkbenchAdminSite(admin.AdminSite):
    site_title = "ConCuR Workbench admin"
    site_header = "ConCuR Workbench admin"
    index_title = "Administration"
    empty_value_display = "–"  # as on the site's own pages
    enable_nav_sidebar = False  # a list of all models beside each table would take its last columns

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        """Return the models by section rather than by app, which says nothing to an administrator."""
        apps = super().get_app_list(request, app_label)
        models = {model["object_name"]: model for app in apps for model in app["models"]}
        sections = [
            {"name": title, "models": [models.pop(name) for name in names if name in models]}
            for title, names in SECTIONS.items()
        ]
        sections.append({"name": LAST_SECTION, "models": list(models.values())})
        return [section for section in sections if section["models"]]

    def has_permission(self, request: HttpRequest) -> bool:
        return role_of(request.user) == Role.ADMINISTRATOR

    def password_change(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """Redirect to the account's page, where guesses are braked, tokens can be revoked and the log is written."""
        return redirect("password_change")

    def password_change_done(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        return redirect("password_change")

    @method_decorator(login_not_required)
    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Redirect to the site's own sign-in page, so that its brake applies here too."""
        if not request.user.is_authenticated:
            return redirect_to_login(next_page(request, reverse("admin:index")))
        if not self.has_permission(request):
            raise PermissionDenied("The admin is for administrators; ask one of them to make the change.")
        return redirect("admin:index")
