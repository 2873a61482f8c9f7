"""Accounts, their role, and the tokens of their programs."""

from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group, User
from django.db.models import QuerySet
from django.http import HttpRequest

from datasets_app import accounts
from datasets_app.admin.base import NoChange, WorkbenchAdmin
from datasets_app.models import ApiToken
from datasets_app.roles import Role

admin.site.unregister(User)
admin.site.unregister(Group)  # the four roles are fixed; who has which is set on the account


@admin.register(User)
class AccountAdmin(WorkbenchAdmin, UserAdmin):
    """Permissions follow from the role, so that the role is all there is to set."""

    list_display = ["username", "role", "email", "is_active", "last_login", "date_joined"]
    list_filter = ["groups", "is_active", "is_superuser"]
    fieldsets = [
        (None, {"fields": ["username", "password", "email"]}),
        ("Role", {"fields": ["groups", "is_active", "is_superuser"]}),
        ("Dates", {"fields": ["last_login", "date_joined"]}),
    ]
    add_fieldsets = [(None, {"fields": ["username", "usable_password", "password1", "password2", "groups"]})]
    readonly_fields = ["last_login", "date_joined"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        return super().get_queryset(request).prefetch_related("groups")

    def role(self, user: User) -> str:
        names = {group.name for group in user.groups.all()}
        if user.is_superuser:
            return Role.ADMINISTRATOR
        return next((role for role in reversed(Role) if role in names), Role.READER)


@admin.register(ApiToken)
class ApiTokenAdmin(NoChange, WorkbenchAdmin):
    """Tokens are made on the account page or in the shell, which show them once; here they are revoked."""

    list_display = ["start", "user", "label", "scopes", "created_at", "last_used_at", "revoked_at"]
    list_filter = [("revoked_at", admin.EmptyFieldListFilter), ("user", admin.RelatedOnlyFieldListFilter)]
    list_select_related = ["user"]
    search_fields = ["user__username", "label", "start"]
    exclude = ["sha256"]
    actions = ["revoke"]

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False  # a revoked token stays, so that the log can be read

    @admin.action(description="Revoke the selected tokens")
    def revoke(self, request: HttpRequest, queryset: QuerySet[ApiToken]) -> None:
        for token in queryset.select_related("user"):
            accounts.revoke_token(token, request.user)
        self.message_user(request, "They open nothing any more.", messages.SUCCESS)
