"""Reads the versions of the rubric, and stores the first one."""

from typing import Any

from django.db import connections

from datasets_app.models import RubricVersion
from datasets_app.review.rubric.first import FIRST
from datasets_app.text_input.numbers import whole_number


def current_rubric() -> RubricVersion:
    """Return the newest version."""
    return RubricVersion.objects.order_by("-number")[:1].get()


def rubric_numbered(number: int) -> RubricVersion | None:
    """Return the version; None if there is none of that number."""
    fits = 0 < number < 2**15  # beyond that PostgreSQL raises an error
    return RubricVersion.objects.filter(pk=number).first() if fits else None


def rubric_of_text(text: Any) -> RubricVersion:
    """Return the version that a form names, or the newest one if it names none."""
    number = whole_number(str(text or ""), 1, 99_999)
    return (rubric_numbered(number) if number else None) or current_rubric()


def is_outdated(text: Any) -> bool:
    """Return whether a form names an older version than the newest one."""
    newest = RubricVersion.objects.order_by("-number").values_list("number", flat=True)[:1].get()
    return str(text) != str(newest) and rubric_of_text(text).number != newest


def store_first(using: str, **_: Any) -> None:
    """Store version 1 if the site has none; a receiver of post_migrate.

    Does nothing if the site was migrated to before the table.
    """
    table = RubricVersion._meta.db_table
    if table in connections[using].introspection.table_names():
        RubricVersion.objects.using(using).get_or_create(number=1, defaults=FIRST)
