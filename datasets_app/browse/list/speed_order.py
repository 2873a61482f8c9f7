"""The orders by measured speedup and by its share of the claimed one, which compare samples on one device only.

With `device:` they take the speedups on that device. Without, they take those on the reference device; samples whose
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
from datasets_app.models.claim_ratio import claim_ratio_of
from datasets_app.models.sample import SampleQuerySet

# The columns of samples that repeat their headline: what they are called on another device, and of evidence.
THERE = {"measured_speedup": "speedup_there", "claim_ratio": "ratio_there"}
OF_EVIDENCE = {"measured_speedup": "speedup", "claim_ratio": "claim_ratio"}


@dataclass(frozen=True)
class SpeedSort(Sort):
    """The order of a number on one device. `column`: of samples, which repeats it for the headline.
    `beside_headlines`: the evidence is joined, for no headline repeats it.
    """

    column: str = ""
    device: str = ""
    beside_headlines: bool = False

    @property
    def of_evidence(self) -> str:
        return OF_EVIDENCE[self.column]

    def prepared(self, rows: Any) -> Any:
        if self.beside_headlines:
            return rows.with_evidence_on(self.device).annotate(ratio_there=claim_ratio_of("speedup_there"))
        return rows.annotate(**{self.field: Case(When(device=self.device, then=self.column))})

    def value_of(self, row: Any) -> Any:
        return getattr(row, self.column) if row.device == self.device else None

    def comparable(self, reading: Reading, samples: Selection) -> Selection:
        return both(samples, reading.where("headline", self.device.__eq__))


def on_one_device(sort: Sort, sets: Sets) -> Sort:
    """Return the order as it applies under a filter: speedups are of the filter's device or the reference device."""
    if sort.field not in THERE:
        return sort
    same = {part.name: getattr(sort, part.name) for part in fields(Sort)}
    device = sets.elsewhere or sets.reference
    return SpeedSort(
        **{**same, "field": THERE[sort.field]},
        column=sort.field,
        device=device,
        beside_headlines=bool(sets.elsewhere),
    )


def devices_put_last(sort: Sort, sets: Sets) -> list[str]:
    """Return the devices of the samples that an order by speed puts last, whatever their speedup; [] if all compare."""
    if sort.field not in THERE or any(part.name == "device" for part, _ in sets.chosen):
        return []
    measured = sets.reading.counts("headline", sets.matching())
    return sorted(name for name, count in measured.items() if count and name not in ("", sets.reference))


def ids_ranked_first(rows: SampleQuerySet, sort: SpeedSort, cursor: Cursor | None, wanted: int) -> list[UUID]:
    """Return ids in this order, read in two parts along indexes: the samples with a number, then the others by id."""
    backwards = cursor is not None and cursor.backwards
    ranked = Q(device=sort.device, **{f"{sort.column}__isnull": False})
    by_speed = replace(sort, field=sort.column, nullable=False)
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
