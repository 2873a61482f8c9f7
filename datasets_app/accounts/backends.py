from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.backends import ModelBackend
from django.db.models import F

from datasets_app.accounts.roles import Role, remember_role, role_of


class RoleBackend(ModelBackend):
    """Django's permissions follow from the role: an administrator has all of them, everybody else none.

    A role is given by a group only, so that there is no second flag to forget.
    """

    def get_user(self, user_id: Any) -> Any:
        """Return the account with its role, which every page asks for: one query in place of two."""
        rows = list(get_user_model().objects.filter(pk=user_id).annotate(group=F("groups__name")))
        if not rows or not self.user_can_authenticate(rows[0]):
            return None
        remember_role(rows[0], {row.group for row in rows})
        return rows[0]

    def has_perm(self, user_obj: Any, perm: str, obj: Any = None) -> bool:
        return role_of(user_obj) == Role.ADMINISTRATOR

    def has_module_perms(self, user_obj: Any, app_label: str) -> bool:
        return role_of(user_obj) == Role.ADMINISTRATOR
