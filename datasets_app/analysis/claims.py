"""What sources claim against what was measured: one pair for each sample, never two distributions."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.db.models import Count, Q

from datasets_app.analysis.measure import DECIDED, PASSED, POINTS, SPEEDUP, TIMED, median
from datasets_app.models.claim_ratio import claim_ratio_of
from datasets_app.models.sample import SampleQuerySet

# A measured speedup within this share of the claimed one bears it out.
WITHIN = 0.1


@dataclass(frozen=True)
class Claims:
    """Samples with a claimed speedup, by what was measured of them on the device."""

    # Task, device that the claim is about, claimed and measured speedup: a fair sample of at most POINTS.
    pairs: list[tuple[str, str, float, float]] = field(default_factory=list)
    n: int = 0  # claimed and measured
    median_ratio: float | None = None  # measured over claimed
    below: int = 0  # measured less than claimed, by more than WITHIN
    above: int = 0
    failed: int = 0  # decided on the device, and not passed
    undecided: int = 0


def claims(samples: SampleQuerySet) -> Claims:
    """Return the claims of the samples, beside what was measured on their device."""
    claimed = samples.filter(claimed_speedup__gt=0).annotate(ratio=claim_ratio_of(SPEEDUP))
    counts = claimed.aggregate(
        n=Count("pk", filter=TIMED),
        below=Count("pk", filter=Q(ratio__lt=1 - WITHIN)),
        above=Count("pk", filter=Q(ratio__gt=1 + WITHIN)),
        failed=Count("pk", filter=DECIDED & ~PASSED),
        undecided=Count("pk", filter=~DECIDED),
    )
    if not counts["n"]:
        return Claims(**counts)
    both = claimed.filter(TIMED)
    columns = ("task__name", "claimed_device", "claimed_speedup", SPEEDUP)
    pairs = both.order_by("id").values_list(*columns)[:POINTS]  # ids are hashes: the first are a fair sample
    return Claims(list(pairs), median_ratio=median(both, "ratio"), **counts)
