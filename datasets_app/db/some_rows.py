"""Tells which tables have rows that a page would read: most lists beside a page's subject are empty at most times.

One small statement. Django would build a query for each of them in every request, which takes longer than the database
does to answer that there is nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from django.db import connection
from django.db.models import Model

Some = Collection[type[Model]]  # the models that have such rows


def models_with_rows(wanted: Mapping[type[Model], str], **values: int | str | None) -> set[type[Model]]:
    """Return the models that have a row which meets the condition beside them, a constant in SQL; empty: any row.

    `%(name)s` in a condition is the value of that name; an id of a sample or a task is given by its `hex`.
    """
    models = list(wanted)
    parts = (
        f"SELECT {at} WHERE EXISTS (SELECT 1 FROM {model._meta.db_table} WHERE {wanted[model] or '1 = 1'})"  # noqa: S608
        for at, model in enumerate(models)
    )
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(parts), values or None)
        return {models[at] for (at,) in cursor.fetchall()}
