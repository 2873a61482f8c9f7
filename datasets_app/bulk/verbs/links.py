"""Links many samples to one tag or reviewer, and removes such links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db.models import Model, QuerySet

from datasets_app.bulk.rows import insert_each
from datasets_app.models import BulkAction


def linked(model: type[Model], ids: Sequence[UUID], link: dict[str, Any]) -> QuerySet[Any]:
    return model._default_manager.filter(sample__in=list(ids), **link)


def put_on(model: type[Model], ids: Sequence[UUID], link: dict[str, Any], by: dict[str, Any]) -> list[UUID]:
    """Link every sample. Return those that were not linked before. `by` names the actor's column and value."""
    had = set(linked(model, ids, link).values_list("sample_id", flat=True))
    new = [pk for pk in ids if pk not in had]
    insert_each(model, new, link | by)
    return new


def take_off(model: type[Model], ids: Sequence[UUID], link: dict[str, Any]) -> list[UUID]:
    """Unlink every sample. Return those that were linked."""
    return removed(linked(model, ids, link))


def take_back(
    bulk: BulkAction, model: type[Model], ids: Sequence[UUID], link: dict[str, Any], at: str
) -> list[UUID]:
    """Remove the links that `bulk` made, except those made again since; `at` names the column with the time."""
    return removed(linked(model, ids, link).filter(**{f"{at}__lte": bulk.finished_at}))


def removed(rows: QuerySet[Any]) -> list[UUID]:
    had = list(rows.values_list("sample_id", flat=True))
    rows.delete()
    return had
