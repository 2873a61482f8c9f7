"""Who is asked to review what. The samples are given out by bulk actions; the review queue hands them out first."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import get_user_model

from datasets_app.accounts.roles import Scope, scopes_of


class AssignmentError(ValueError):
    """Somebody who cannot be asked; the message says who can."""


def reviewers() -> list[str]:
    """Names of all who may review."""
    people = get_user_model().objects.filter(is_active=True).prefetch_related("groups").order_by("username")
    return [person.get_username() for person in people if Scope.ANNOTATE in scopes_of(person)]


def reviewer_named(name: str) -> Any:
    """Raises AssignmentError for nobody, and for somebody who may not review."""
    found = get_user_model().objects.filter(username=name.strip(), is_active=True).first()
    if found is None:
        raise AssignmentError(
            f"Nobody is called {name.strip()[:60]!r}; there are {', '.join(reviewers()) or 'none'}."
        )
    if Scope.ANNOTATE not in scopes_of(found):
        raise AssignmentError(f"{name.strip()} is a reader: reviewing needs the role annotator.")
    return found


def exists(user_id: int) -> bool:
    return get_user_model().objects.filter(pk=user_id).exists()
