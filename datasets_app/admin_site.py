"""The admin as a part of this site: its administrators, its sign-in page."""

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from datasets_app.roles import Role, role_of


class WorkbenchAdminSite(admin.AdminSite):
    site_title = "ConCuR Workbench admin"
    site_header = "ConCuR Workbench admin"
    index_title = "Everything that is stored"

    def has_permission(self, request: HttpRequest) -> bool:
        return role_of(request.user) == Role.ADMINISTRATOR

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Whoever is not signed in was sent to the site's own page before this; its brake holds here too."""
        if not self.has_permission(request):
            raise PermissionDenied("The admin is for administrators; ask one for what you need changed.")
        return redirect("admin:index")
