"""Evidence beside list rows that the sample's own row does not hold: unfinished verifications, and the interval."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from datasets_app.db.uuids import among
from datasets_app.evidence import devices
from datasets_app.models import Evidence, Verification

UNFINISHED = "state IN ('queued', 'running')"  # the condition for `models_with_rows`


@dataclass
class RowEvidence:
    """The evidence of a sample on one device. `waiting` is the state of an unfinished verification, if any; `device` is
    empty for the reference device.
    """

    waiting: str = ""
    device: str = ""
    speedup_low: float | None = None
    speedup_high: float | None = None
    runs_disagree: bool = False


def of_samples(
    ids: Iterable[Any], device: str = "", reference: str = "", *, any_waiting: bool = True
) -> dict[Any, RowEvidence]:
    """Return the evidence of each sample, on `device` or of its headline; three queries, two with the `reference`, and
    one less if the caller knows that no verification is unfinished.
    """
    samples = among(ids)
    by_sample: dict[Any, RowEvidence] = defaultdict(RowEvidence)
    evidence = Evidence.objects.on(device) if device else Evidence.objects.headline()
    reference = reference or devices.reference_device()
    columns = ("sample", "device", "speedup_low", "speedup_high", "runs_disagree")
    for sample, name, *facts in evidence.filter(sample__in=samples).order_by().values_list(*columns):
        by_sample[sample] = RowEvidence("", "" if name == reference else name, *facts)
    if not any_waiting:
        return by_sample
    # Of several the newest that runs, else the newest that is queued: the last one is kept.
    unfinished = (
        Verification.objects.unfinished().filter(sample__in=samples).order_by("state", "created_at", "id")
    )
    for sample, state in unfinished.values_list("sample", "state"):
        by_sample[sample].waiting = state
    return by_sample
