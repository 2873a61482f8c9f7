from typing import Any

from django.contrib.auth.backends import ModelBackend

from datasets_app.accounts.roles import Role, role_of


class RoleBackend(ModelBackend):
    """Django's permissions follow from the role: an administrator has all of them, everybody else none.

    A role is given by a group only, so that there is no second flag to forget.
    """

    def has_perm(self, user_obj: Any, perm: str, obj: Any = None) -> bool:
        return role_of(user_obj) == Role.ADMINISTRATOR

    def has_module_perms(self, user_obj: Any, app_label: str) -> bool:
        return role_of(user_obj) == Role.ADMINISTRATOR
