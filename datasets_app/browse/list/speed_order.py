"""The order by measured speedup, which compares samples on one device only.

With `device:` it takes the speedups on that device. Without, it takes those on the reference device; samples whose
headline is of another device come last, as samples without a speedup do.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any
from uuid import UUID

from django.db.models import Case, Q, When

from datasets_app.browse.list.sorting import Cursor, Sort
from datasets_app.browse.query.sets import Sets
from datasets_app.db.facet_index import Reading, Selection
from datasets_app.db.facet_index.sets import both
from datasets_app.models.sample import SampleQuerySet


@dataclass(frozen=True)
class SpeedSort(Sort):
    """The order of speedups on one device. `beside_headlines`: their evidence is joined, for no headline repeats it."""

    device: str = ""
    beside_headlines: bool = False

    def prepared(self, rows: Any) -> Any:
        if self.beside_headlines:
            return rows.with_evidence_on(self.device)
        return rows.annotate(speedup_there=Case(When(device=self.device, then="measured_speedup")))

    def value_of(self, row: Any) -> Any:
        return row.measured_speedup if row.device == self.device else None

    def comparable(self, reading: Reading, samples: Selection) -> Selection:
        return both(samples, reading.where("headline", self.device.__eq__))


def on_one_device(sort: Sort, sets: Sets) -> Sort:
    """Return the order as it applies under a filter: speedups are of the filter's device or the reference device."""
    if sort.field != "measured_speedup":
        return sort
    same = {part.name: getattr(sort, part.name) for part in fields(Sort)}
    device = sets.elsewhere or sets.reference
    return SpeedSort(
        **{**same, "field": "speedup_there"}, device=device, beside_headlines=bool(sets.elsewhere)
    )


def ids_ranked_first(rows: SampleQuerySet, sort: SpeedSort, cursor: Cursor | None, wanted: int) -> list[UUID]:
    """Return ids in this order, read in two parts along indexes: the samples with a speedup, then the others by id."""
    backwards = cursor is not None and cursor.backwards
    ranked = Q(device=sort.device, measured_speedup__isnull=False)
    by_speed = replace(sort, field="measured_speedup", nullable=False)
    by_id = Sort("id", "", "id", sort.descending)
    parts = [(rows.filter(ranked), by_speed, True), (rows.exclude(ranked), by_id, False)]
    ids: list[UUID] = []
    for part, order, is_ranked in reversed(parts) if backwards else parts:
        if cursor is not None:
            if is_ranked != (cursor.value is not None):
                continue
            value = cursor.value if is_ranked else cursor.pk
            part = part.filter(order.beyond(value, cursor.pk, backwards=backwards))
            cursor = None  # the next part is read from its beginning
        ordered = order.apply(part, backwards=backwards).values_list("pk", flat=True)
        ids += ordered[: wanted - len(ids)]
        if len(ids) == wanted:
            break
    return ids
