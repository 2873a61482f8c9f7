"""The profiler's counters of two samples side by side: each one's newest that a report holds, or why there are none."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from datasets_app.models import Sample, VerificationReport
from datasets_app.profiler.counters import LABELS

NEWEST = 5  # inspected runs of a sample in which counters are looked for
COUNTERS = "report__inspection__metrics"
WHY_MISSING = "report__inspection__missing__metrics"
NOT_INSPECTED = "no verification has collected them"


@dataclass(frozen=True)
class Row:
    """One counter of both; `ratio` is ours over theirs."""

    name: str
    label: str
    unit: str
    theirs: float | None
    ours: float | None

    @property
    def ratio(self) -> float | None:
        return self.ours / self.theirs if self.ours is not None and self.theirs else None


@dataclass(frozen=True)
class Counted:
    """A sample's newest counters by name, and the device; without any, the reason."""

    metrics: dict[str, Any]
    device: str
    why_missing: str


@dataclass(frozen=True)
class Counters:
    ours: Counted
    theirs: Counted

    @cached_property
    def rows(self) -> list[Row]:
        """Return the counters that a side has, known ones first; none where a side has no counters at all."""
        if not self.ours.metrics or not self.theirs.metrics:
            return []
        found = {**self.theirs.metrics, **self.ours.metrics}
        names = [name for name in LABELS if name in found] + [name for name in found if name not in LABELS]
        return [self.row(name, str(found[name].get("unit") or "")) for name in names]

    def row(self, name: str, unit: str) -> Row:
        theirs, ours = (side.metrics.get(name, {}).get("value") for side in (self.theirs, self.ours))
        return Row(name, LABELS.get(name, ""), unit, theirs, ours)

    @property
    def missing(self) -> list[tuple[str, str]]:
        """Return which sides have no counters, left or right, and the reason of each."""
        sides = (("left", self.theirs), ("right", self.ours))
        return [(which, side.why_missing) for which, side in sides if not side.metrics]

    @property
    def devices(self) -> tuple[str, str] | None:
        """Return both devices where they differ; else None."""
        pair = (self.theirs.device, self.ours.device)
        return pair if self.rows and pair[0] != pair[1] else None


def counters_of(ours: Sample, theirs: Sample) -> Counters:
    """Return both sides: one query each, without the rest of the reports."""
    return Counters(counted(ours), counted(theirs))


def counted(sample: Sample) -> Counted:
    reports = VerificationReport.objects.filter(
        verification__sample=sample, report__inspection__has_key="metrics"
    )
    newest = reports.order_by("-verification__finished_at", "-verification__created_at")
    found = list(newest.values_list(COUNTERS, WHY_MISSING, "verification__device")[:NEWEST])
    for metrics, _, device in found:
        if metrics:
            return Counted(metrics, device, "")
    why = next((why for _, why, _ in found if why), "its runs recorded no counters")
    return Counted({}, "", str(why) if found else NOT_INSPECTED)
