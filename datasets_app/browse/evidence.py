"""What list rows show of evidence that the sample's own row does not hold: what waits, and the interval."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from datasets_app.evidence import devices
from datasets_app.models import Evidence, Verification


@dataclass
class RowEvidence:
    """`waiting`: the state of an unfinished verification, if any. The rest is of the evidence on one device; `device`
    names it where it is not the reference device."""

    waiting: str = ""
    device: str = ""
    speedup_low: float | None = None
    speedup_high: float | None = None
    runs_disagree: bool = False


def of_samples(ids: Iterable[Any], device: str = "") -> dict[Any, RowEvidence]:
    """Return sample id to what its verifications add, on `device` or of its headline; three queries."""
    samples = list(ids)
    found: dict[Any, RowEvidence] = defaultdict(RowEvidence)
    evidence = Evidence.objects.on(device) if device else Evidence.objects.headline()
    reference = devices.reference_device()
    columns = ("sample", "device", "speedup_low", "speedup_high", "runs_disagree")
    for sample, name, *facts in evidence.filter(sample__in=samples).order_by().values_list(*columns):
        found[sample] = RowEvidence("", "" if name == reference else name, *facts)
    unfinished = Verification.objects.unfinished().filter(sample__in=samples).order_by("created_at", "id")
    for sample, state in unfinished.values_list("sample", "state"):
        found[sample].waiting = state
    return found
