"""Recounts trace lengths with the current tokenizer, batch by batch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db import connection, transaction
from django.db.models import QuerySet

from datasets_app.db.facet_index import Reading, Selection
from datasets_app.db.facet_index.sets import both
from datasets_app.models import Sample, SampleBody
from datasets_app.traces import lengths

BATCH = 200


def waiting() -> QuerySet[Sample]:
    """Return the samples whose trace was counted by another tokenizer."""
    return Sample.objects.with_trace().exclude(tokenizer=lengths.tokenizer_name()).order_by()


def batches() -> Iterator[list[Any]]:
    """Yield batches of ids by keyset; recounted rows do not come again."""
    last = None
    while True:
        rows = waiting().order_by("pk").values_list("pk", flat=True)
        ids = list((rows if last is None else rows.filter(pk__gt=last))[:BATCH])
        if not ids:
            return
        yield ids
        last = ids[-1]


def recount(ids: list[Any]) -> int:
    """Count the traces of these samples again. Return how many."""
    bodies = list(SampleBody.objects.filter(pk__in=ids).values_list("pk", "reasoning"))
    counts = lengths.count_all([text for _, text in bodies])
    name = lengths.tokenizer_name()
    write([(count, name, pk) for (pk, _), count in zip(bodies, counts, strict=True)])
    return len(bodies)


def write(rows: list[tuple[int, str, Any]]) -> None:
    """Write many rows with one statement: bulk_update's long CASE takes ten times as long."""
    pk = Sample._meta.pk
    values = [(count, name, pk.get_db_prep_value(key, connection)) for count, name, key in rows]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.executemany(
            "UPDATE datasets_app_sample SET trace_tokens = %s, tokenizer = %s WHERE id = %s", values
        )


def by_tokenizer(reading: Reading, among: Selection) -> list[tuple[str, int]]:
    """Return (tokenizer, traces that it counted) among the samples, most first."""
    traced = both(among, reading.where("has_trace", "yes".__eq__))
    return sorted(reading.counts("tokenizer", traced).items(), key=lambda pair: (-pair[1], pair[0]))
