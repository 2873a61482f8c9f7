"""A row's facts at the time of selection: the part that may change later, kept with the release."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from datasets_app.export.bins import EDGES, IN_ORDER, bin_of
from datasets_app.export.columns import FROZEN_LOOKUPS, facts
from datasets_app.models import Sample

COUNTED = (
    "kind",
    "difficulty",
    "language",
    "source",
    "licence",
    "generator",
    "outcome",
    "profile",
    "verdict",
)
Snapshot = dict[str, Any]


def snapshots(sample_ids: Sequence[str], device: str) -> dict[str, Snapshot]:
    """Return what a release on `device` freezes of each sample, by id; one query, and one per column of lists."""
    samples = Sample.objects.filter(pk__in=sample_ids).order_by().with_evidence_on(device).with_licence()
    return facts({str(pk): values for pk, *values in samples.values_list("pk", *FROZEN_LOOKUPS)})


class Counts:
    """Counts of rows for a release's card, by several facts."""

    def __init__(self) -> None:
        self.by: dict[str, Counter[str]] = {name: Counter() for name in ("split", "reason", *COUNTED, *EDGES)}

    def add(self, snapshot: Snapshot, split: str, reason: str) -> None:
        self.by["split"][split] += 1
        self.by["reason"][reason] += 1
        for name in COUNTED:
            self.by[name][snapshot[name] or ""] += 1
        for name, edges in EDGES.items():
            value = snapshot[name]
            self.by[name]["" if value is None else IN_ORDER[name][bin_of(edges, value)]] += 1

    def to_json(self) -> dict[str, dict[str, int]]:
        return {name: dict(sorted(counts.items(), key=most_first)) for name, counts in self.by.items()}


def most_first(item: tuple[str, int]) -> tuple[int, str]:
    return (-item[1], item[0])
