"""Many UUIDs as one parameter of a query."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

import orjson
from django.db import connection
from django.db.models.expressions import RawSQL


def among(ids: Iterable[UUID | str]) -> RawSQL:
    """Return the ids as a subquery for `field__in`: Django spends microseconds on each value of a list, every time."""
    # SQLite stores them without hyphens; PostgreSQL takes both forms.
    each = list({str(pk).replace("-", "") for pk in ids})
    if connection.vendor == "postgresql":
        return RawSQL("SELECT unnest(%s::uuid[])", [each])
    return RawSQL("SELECT value FROM json_each(%s)", [orjson.dumps(each).decode()])
