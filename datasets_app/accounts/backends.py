from typing import Any

from django.contrib.auth.backends import ModelBackend

from datasets_app.accounts.roles import Role, role_of


class RoleBackend(ModelBackend):
    """Django's permissions follow from the role alone: an administrator has all of them, nobody else any.

    The group is the one place where a role is given, so there is no flag beside it to forget.
    """

    def has_perm(self, user_obj: Any, perm: str, obj: Any = None) -> bool:
        return role_of(user_obj) == Role.ADMINISTRATOR

    def has_module_perms(self, user_obj: Any, app_label: str) -> bool:
        return role_of(user_obj) == Role.ADMINISTRATOR
