"""Numbers of samples that a SELECT of their ids finds."""

from __future__ import annotations

from typing import Any

from django.db import connection
from django.db.models import QuerySet

MOST = 2**31 - 2


def numbers_among(ids: QuerySet[Any, Any], most: int = MOST) -> list[int]:
    """Return the numbers of the samples with these ids. Raises EmptyResultSet if there can be none."""
    sql, params = ids.query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT number FROM concur_sample_number WHERE sample_id IN ({sql}) LIMIT {int(most)}",  # noqa: S608
            params,
        )
        return [number for (number,) in cursor.fetchall()]
