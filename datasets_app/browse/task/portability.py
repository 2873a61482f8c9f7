"""Results of a task's kernels per device: counts, the spread of speedups, whether the ranking carries over.

Measurements of this site and claims of sources are kept apart. CUDA-L1, for one, claims a speedup per device for each
kernel.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import correlation
from typing import Any

from datasets_app.evidence import devices
from datasets_app.models import Evidence, Sample, Task
from datasets_app.models.source_claim import ALSO_CLAIMED

FEWEST_TO_CORRELATE = 3
MOST_CLAIMED = 5_000  # samples of one task
MOST_CLAIMED_AGAIN = 200  # whose further claims are read: they are stored with the long texts
Verdict = tuple[str, float | None]  # outcome, speedup


@dataclass(frozen=True)
class DeviceRow:
    """One device. Speedups are those of the samples that passed there, each by its evidence there."""

    device: str
    verified: int
    passed: int
    lower_quartile: float | None
    median: float | None
    upper_quartile: float | None
    best: float | None
    correlation: float | None  # of log speedups with the anchor's, over samples that passed on both
    common: int  # the number of those samples
    is_anchor: bool


def by_device(verdicts: dict[str, dict[Any, Verdict]]) -> list[DeviceRow]:
    """Return one row per device of `verdicts`, the first of which is the anchor that rankings are compared with."""
    anchor = speedups(next(iter(verdicts.values()), {}))
    return [row(device, results, anchor, at == 0) for at, (device, results) in enumerate(verdicts.items())]


@dataclass(frozen=True)
class ClaimedRow:
    """Speedups that sources claim for the task's samples on one device, one per sample and source."""

    device: str  # empty: the source does not name it
    claims: int
    lower_quartile: float | None
    median: float | None
    upper_quartile: float | None
    best: float


def claimed_by_device(task: Task) -> list[ClaimedRow]:
    """Return one row per device that a source names, most claims first; two queries, without the long texts."""
    speedups: dict[str, list[float]] = {}
    samples = Sample.objects.in_use().filter(task=task).order_by("-created_at", "id")
    first = samples.values_list("claimed_device", "claimed_speedup")[:MOST_CLAIMED]
    again = samples.values_list(f"body__extra__{ALSO_CLAIMED}", flat=True)[:MOST_CLAIMED_AGAIN]
    for device, speedup in [*first, *(claim for further in again for claim in other_claims(further))]:
        if speedup and speedup > 0:
            speedups.setdefault(device or "", []).append(speedup)
    ordered = sorted(speedups.items(), key=lambda item: (-len(item[1]), item[0]))
    return [claimed_row(device, sorted(values)) for device, values in ordered]


def other_claims(stored: Any) -> list[tuple[str, float]]:
    """Return further claims about the same sample, as stored by the ingest."""
    claims = stored if isinstance(stored, list) else []
    return [
        (claim["device"], claim["speedup"])
        for claim in claims
        if isinstance(claim, dict) and claim.get("speedup")
    ]


def claimed_row(device: str, ordered: list[float]) -> ClaimedRow:
    quarter, half, three_quarters = (quantile(ordered, share) for share in (0.25, 0.5, 0.75))
    return ClaimedRow(device, len(ordered), quarter, half, three_quarters, ordered[-1])


def verdicts_by_device(task: Task) -> dict[str, dict[Any, Verdict]]:
    """Return device to sample to its evidence there, the reference device first; two queries."""
    verdicts: dict[str, dict[Any, Verdict]] = {}
    rows = Evidence.objects.filter(sample__task=task, sample__withdrawn=False).order_by("device", "sample")
    for device, sample, outcome, speedup in rows.values_list("device", "sample", "outcome", "speedup"):
        verdicts.setdefault(device, {})[sample] = (outcome, speedup)
    return {device.name: verdicts[device.name] for device in devices.ordered() if device.name in verdicts}


def speedups(verdicts: dict[Any, Verdict]) -> dict[Any, float]:
    return {
        sample: speedup for sample, (outcome, speedup) in verdicts.items() if outcome == "passed" and speedup
    }


def row(device: str, verdicts: dict[Any, Verdict], anchor: dict[Any, float], is_anchor: bool) -> DeviceRow:
    measured = speedups(verdicts)
    ordered = sorted(measured.values())
    both = (
        [] if is_anchor else [(anchor[sample], measured[sample]) for sample in measured if sample in anchor]
    )
    return DeviceRow(
        device=device,
        verified=len(verdicts),
        passed=sum(outcome == "passed" for outcome, _ in verdicts.values()),
        lower_quartile=quantile(ordered, 0.25),
        median=quantile(ordered, 0.5),
        upper_quartile=quantile(ordered, 0.75),
        best=ordered[-1] if ordered else None,
        correlation=log_correlation(both),
        common=len(both),
        is_anchor=is_anchor,
    )


def quantile(ordered: Sequence[float], share: float) -> float | None:
    """Return the quantile, interpolated linearly; None for an empty sequence."""
    if not ordered:
        return None
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def log_correlation(pairs: list[tuple[float, float]]) -> float | None:
    """Return Pearson's r of the logarithms; None for few pairs, or if one side does not vary."""
    left, right = ([math.log(pair[side]) for pair in pairs] for side in (0, 1))
    if len(pairs) < FEWEST_TO_CORRELATE or len(set(left)) == 1 or len(set(right)) == 1:
        return None
    return correlation(left, right)
