"""The rows of the page of people: each account with its role, its state and what it has done."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.core.paginator import Page, Paginator
from django.db.models import Count, DateTimeField, IntegerField, Max, Model, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from datasets_app.accounts.people import stored_role
from datasets_app.accounts.roles import Role
from datasets_app.models import ApiToken, AuditEntry, Review, Verification

PEOPLE_PER_PAGE = 100


@dataclass(frozen=True)
class Person:
    """One row of the page."""

    user: User
    role: Role
    last_seen: datetime | None  # the last sign-in, use of a token, or action in the audit log
    reviews: int
    verifications: int


def people_page(number: str) -> Page[Person]:
    """Return one page of the accounts, active ones first, by name."""
    users = User.objects.prefetch_related("groups").annotate(
        review_count=count_of(Review, "reviewer", withdrawal__isnull=True),
        verification_count=count_of(Verification, "requested_by"),
        last_token_use=latest(ApiToken, "user", "last_used_at"),
        last_action=latest(AuditEntry, "actor", "at"),
    )
    page: Page[Any] = Paginator(users.order_by("-is_active", "username"), PEOPLE_PER_PAGE).get_page(number)
    page.object_list = [person(user) for user in page.object_list]
    return page


def person(user: Any) -> Person:
    seen = [at for at in (user.last_login, user.last_token_use, user.last_action) if at is not None]
    return Person(
        user, stored_role(user), max(seen, default=None), user.review_count, user.verification_count
    )


def of_account(model: type[Model], owner: str) -> QuerySet[Any]:
    return model._default_manager.filter(**{owner: OuterRef("pk")}).order_by().values(owner)


def count_of(model: type[Model], owner: str, **which: Any) -> Coalesce:
    counted = of_account(model, owner).filter(**which).annotate(total=Count("pk")).values("total")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)


def latest(model: type[Model], owner: str, field: str) -> Subquery:
    newest = of_account(model, owner).annotate(newest=Max(field)).values("newest")
    return Subquery(newest, output_field=DateTimeField())
