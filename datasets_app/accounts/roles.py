"""Roles and scopes. A role is a Django group and includes the ones before it; a superuser is an administrator."""

from collections.abc import Collection
from enum import StrEnum
from typing import Any


class Role(StrEnum):
    READER = "reader"
    ANNOTATOR = "annotator"
    CURATOR = "curator"
    ADMINISTRATOR = "administrator"


class Scope(StrEnum):
    """A permission that an action requires: a role grants it to an account, and a token to a program."""

    READ = "read"
    METRICS = "metrics"  # read /metrics, which names hosts
    ANNOTATE = "annotate"  # review, tag, request verifications
    CURATE = "curate"  # ingest, recipes, releases
    ADMIN = "admin"


GRANTS = {
    Role.READER: {Scope.READ},
    Role.ANNOTATOR: {Scope.READ, Scope.ANNOTATE},
    Role.CURATOR: {Scope.READ, Scope.ANNOTATE, Scope.CURATE},
    Role.ADMINISTRATOR: set(Scope),
}


def role_of(user: Any) -> Role | None:
    """Return the account's highest role; an active account in no group is a reader."""
    if not user.is_authenticated or not user.is_active:
        return None
    if user.is_superuser:
        return Role.ADMINISTRATOR
    if not hasattr(user, "_role"):
        remember_role(user, set(user.groups.values_list("name", flat=True)))
    role: Role = user._role
    return role


def remember_role(user: Any, groups: Collection[str]) -> None:
    """Keep the role that these groups give on the account, for as long as the object lives."""
    user._role = next((role for role in reversed(Role) if role in groups), Role.READER)


def scopes_of(user: Any) -> frozenset[Scope]:
    """Return the scopes that the account's role grants; none for a closed or anonymous account."""
    role = role_of(user)
    return frozenset(GRANTS[role]) if role else frozenset()
