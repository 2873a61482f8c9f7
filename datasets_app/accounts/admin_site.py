"""The admin as a part of this site: its administrators, its sign-in page.

Not in the package of the admin's models: Django reads this class first, and that package registers its models with it.
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


class WorkbenchAdminSite(admin.AdminSite):
    site_title = "ConCuR Workbench admin"
    site_header = "ConCuR Workbench admin"
    index_title = "Everything that is stored"

    def has_permission(self, request: HttpRequest) -> bool:
        return role_of(request.user) == Role.ADMINISTRATOR

    @method_decorator(login_not_required)
    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """The site's own page signs everybody in, so that its brake holds here too."""
        if not request.user.is_authenticated:
            return redirect_to_login(next_page(request, reverse("admin:index")))
        if not self.has_permission(request):
            raise PermissionDenied("The admin is for administrators; ask one for what you need changed.")
        return redirect("admin:index")
