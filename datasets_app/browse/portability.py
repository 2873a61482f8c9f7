"""How a task's kernels fare on each device: counts, the spread of speedups, and whether the ranking carries over."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import correlation
from typing import Any

from datasets_app.browse.evidence import verifications
from datasets_app.models import Task

FEWEST_TO_CORRELATE = 3
Verdict = tuple[str, float | None]  # outcome, speedup


@dataclass(frozen=True)
class DeviceRow:
    """One device. Speedups are those of the samples that passed there, each by its newest run."""

    device: str
    verified: int
    passed: int
    lower_quartile: float | None
    median: float | None
    upper_quartile: float | None
    best: float | None
    correlation: float | None  # of log speedups with the anchor's, over samples that passed on both
    common: int  # how many those are
    is_anchor: bool


def by_device(task: Task) -> list[DeviceRow]:
    """One row a device that samples of the task were verified on, the one with most passes first; one query."""
    found = newest_verdicts(task)
    ordered = sorted(found, key=lambda device: (-len(speedups(found[device])), device))
    anchor = speedups(found[ordered[0]]) if ordered else {}
    return [row(device, found[device], anchor, at == 0) for at, device in enumerate(ordered)]


def newest_verdicts(task: Task) -> dict[str, dict[Any, Verdict]]:
    """Device to sample to what its newest run there found. A fault of ours is no verdict."""
    done = (
        verifications()
        .filter(sample__task=task, state="done")
        .exclude(device="")
        .exclude(outcome="infra_error")
    )
    found: dict[str, dict[Any, Verdict]] = {}
    rows = done.order_by("finished_at", "created_at", "id").values_list(
        "device", "sample", "outcome", "speedup"
    )
    for device, sample, outcome, speedup in rows:
        found.setdefault(device, {})[sample] = (outcome, speedup)
    return found


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
    """Linear between neighbours; None of nothing."""
    if not ordered:
        return None
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def log_correlation(pairs: list[tuple[float, float]]) -> float | None:
    """Pearson's r of the logarithms; None of few pairs, or where one side does not vary."""
    left, right = ([math.log(pair[side]) for pair in pairs] for side in (0, 1))
    if len(pairs) < FEWEST_TO_CORRELATE or len(set(left)) == 1 or len(set(right)) == 1:
        return None
    return correlation(left, right)
