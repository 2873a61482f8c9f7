"""Reviewers of assignments. Bulk actions assign samples; the review queue offers them to their reviewers first."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import get_user_model

from datasets_app.accounts.roles import Scope, scopes_of


class AssignmentError(ValueError):
    """An account that cannot review; the message names those that can."""


def reviewers() -> list[str]:
    """Return the names of all accounts that may review."""
    people = get_user_model().objects.filter(is_active=True).prefetch_related("groups").order_by("username")
    return [person.get_username() for person in people if Scope.ANNOTATE in scopes_of(person)]


def reviewer_named(name: str) -> Any:
    """Return the account. Raises AssignmentError if it does not exist or may not review."""
    reviewer = get_user_model().objects.filter(username=name.strip(), is_active=True).first()
    if reviewer is None:
        raise AssignmentError(
            f"There is no account {name.strip()[:60]!r}; reviewers are {', '.join(reviewers()) or 'none'}."
        )
    if Scope.ANNOTATE not in scopes_of(reviewer):
        raise AssignmentError(f"{name.strip()} is a reader; reviewing needs the role annotator.")
    return reviewer


def exists(user_id: int) -> bool:
    return get_user_model().objects.filter(pk=user_id).exists()
