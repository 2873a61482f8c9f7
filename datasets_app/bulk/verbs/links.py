"""Rows that tie samples to one other thing (a tag, a reviewer): put on many samples, or taken off many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from django.db.models import Model, QuerySet

from datasets_app.models import BulkAction


def linked(model: type[Model], ids: Iterable[UUID], link: dict[str, Any]) -> QuerySet[Any]:
    return model._default_manager.filter(sample__in=list(ids), **link)


def put_on(model: type[Model], ids: Sequence[UUID], link: dict[str, Any], by: dict[str, Any]) -> list[UUID]:
    """Tie every sample; returns those that were not tied before. `by` says who did it."""
    had = set(linked(model, ids, link).values_list("sample_id", flat=True))
    new = [pk for pk in ids if pk not in had]
    rows = [model(sample_id=pk, **link, **by) for pk in new]
    model._default_manager.bulk_create(rows, ignore_conflicts=True)
    return new


def take_off(model: type[Model], ids: Sequence[UUID], link: dict[str, Any]) -> list[UUID]:
    """Untie every sample; returns those that were tied."""
    rows = linked(model, ids, link)
    had = list(rows.values_list("sample_id", flat=True))
    rows.delete()
    return had


def take_back(
    bulk: BulkAction, model: type[Model], ids: Sequence[UUID], link: dict[str, Any], at: str
) -> None:
    """Untie what `bulk` tied, and not what somebody tied anew since; `at` names the column that tells when."""
    linked(model, ids, link).filter(**{f"{at}__lte": bulk.finished_at}).delete()
