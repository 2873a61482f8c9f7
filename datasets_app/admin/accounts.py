"""Accounts with their roles, and API tokens."""

from copy import copy
from functools import partial
from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group, User
from django.db.models import ManyToManyField, QuerySet
from django.forms import CheckboxSelectMultiple
from django.http import HttpRequest, HttpResponse

from datasets_app.accounts import api_tokens, second_factor
from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.passwords import ResetPasswordForm
from datasets_app.accounts.people import stored_role
from datasets_app.admin.base import NoChange, ReadOnly, WorkbenchAdmin
from datasets_app.models import ApiToken, Invitation, SecondFactor

admin.site.unregister(User)
admin.site.unregister(Group)  # the four roles are fixed; who has which is set on the account

STANDING = ["groups", "is_active", "is_superuser"]  # of an existing account


@admin.register(User)
class AccountAdmin(WorkbenchAdmin, UserAdmin):
    """Accounts. Roles and states are changed on the page of people, which audits them and keeps an administrator."""

    list_display = ["username", "role", "email", "is_active", "last_login", "date_joined"]
    list_filter = ["groups", "is_active", "is_superuser"]
    fieldsets = [
        (None, {"fields": ["username", "password", "email"]}),
        ("Role", {"fields": ["groups", "is_active", "is_superuser"]}),
        ("Dates", {"fields": ["last_login", "date_joined"]}),
    ]
    add_fieldsets = [(None, {"fields": ["username", "usable_password", "password1", "password2", "groups"]})]
    readonly_fields = ["last_login", "date_joined"]
    filter_horizontal = []
    formfield_overrides = {ManyToManyField: {"widget": CheckboxSelectMultiple}}  # the four roles
    change_password_form = ResetPasswordForm

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> HttpResponse:
        """Show Django's page; the form receives the actor, for the audit log."""
        page: Any = copy(self)
        page.change_password_form = partial(ResetPasswordForm, actor=actor_of(request))
        return super(AccountAdmin, page).user_change_password(request, id, form_url)

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        return super().get_queryset(request).prefetch_related("groups")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        return [*self.readonly_fields, *(STANDING if obj is not None else [])]

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False  # an account is deactivated, so that the log and the reviews keep their person

    def role(self, user: User) -> str:
        return stored_role(user)


@admin.register(ApiToken)
class ApiTokenAdmin(NoChange, WorkbenchAdmin):
    """Tokens are created on the account page or in the shell, which show them once; here they are revoked."""

    list_display = [
        "start",
        "user",
        "label",
        "scopes",
        "created_at",
        "last_used_at",
        "expires_at",
        "revoked_at",
    ]
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
            api_tokens.revoke_token(token, actor=actor_of(request))
        self.message_user(request, "The selected tokens are revoked.", messages.SUCCESS)


@admin.register(SecondFactor)
class SecondFactorAdmin(ReadOnly, WorkbenchAdmin):
    """The accounts that sign in with a second factor. Secrets and recovery codes are never shown."""

    list_display = ["user", "created_at", "last_used_at"]
    list_select_related = ["user"]
    search_fields = ["user__username"]
    exclude = ["secret", "recovery", "last_step"]
    actions = ["turn_off"]

    @admin.action(description="Turn the second step off for the selected accounts (a lost phone)")
    def turn_off(self, request: HttpRequest, queryset: QuerySet[SecondFactor]) -> None:
        for factor in queryset.select_related("user"):
            second_factor.turn_off(factor.user, actor=actor_of(request))
        self.message_user(request, "These accounts sign in with their password alone now.", messages.SUCCESS)


@admin.register(Invitation)
class InvitationAdmin(ReadOnly, WorkbenchAdmin):
    """Invitations, used and unused. They are made and revoked on the page of people; the link is never shown again."""

    list_display = ["role", "note", "made_by", "created_at", "expires_at", "used_at", "account", "revoked_at"]
    list_filter = ["role"]
    list_select_related = ["made_by", "account"]
    search_fields = ["note", "account__username"]
    exclude = ["sha256"]
