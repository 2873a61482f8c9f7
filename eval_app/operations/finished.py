"""What was verified lately: outcomes, throughput by hour, and the seconds of stages."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median, quantiles
from typing import Any

from django.db.models import Count
from django.db.models.functions import TruncHour
from django.utils import timezone

from datasets_app.models import Verification, VerificationReport
from datasets_app.models.verification import VerificationQuerySet

HOURS = 24
NEWEST_REPORTS = 500


@dataclass(frozen=True)
class StageSeconds:
    """The seconds that one stage took in the newest reports."""

    stage: str
    count: int
    median_s: float
    p90_s: float
    total_s: float


def since(moment: datetime) -> VerificationQuerySet:
    """Return the runs of this site's workers that ended since a moment, as an index has them."""
    return Verification.runs.finished().own().filter(finished_at__gte=moment).order_by()


def outcomes_since(moment: datetime) -> dict[str, int]:
    """Return the number of finished runs by outcome, the most frequent first."""
    counts = since(moment).values_list("outcome").annotate(n=Count("pk"))
    return dict(sorted(counts, key=lambda pair: (-pair[1], pair[0])))


def by_hour() -> list[tuple[datetime, dict[str, int]]]:
    """Return the number of finished runs by kind of device for each of the last 24 hours, the oldest first."""
    end = timezone.now().replace(minute=0, second=0, microsecond=0)
    hours = [end - timedelta(hours=back) for back in range(HOURS - 1, -1, -1)]
    counts: dict[datetime, dict[str, int]] = {hour: {} for hour in hours}
    groups = since(hours[0]).annotate(hour=TruncHour("finished_at")).values_list("hour", "wanted_device")
    for hour, device, n in groups.annotate(n=Count("pk")):
        if hour in counts:
            counts[hour][device] = n
    return list(counts.items())


def stage_seconds() -> list[StageSeconds]:
    """Return the seconds of each stage over the newest reports, the longest in total first; `total` is left out."""
    newest = Verification.runs.finished().own().filter(finished_at__isnull=False).order_by("-finished_at")
    ids = list(newest.values_list("pk", flat=True)[:NEWEST_REPORTS])
    reports = VerificationReport.objects.filter(pk__in=ids).values_list("report__seconds", flat=True)
    spent: dict[str, list[float]] = defaultdict(list)
    for seconds in reports:
        for stage, value in numbers_of(seconds):
            spent[stage].append(value)
    found = [
        StageSeconds(stage, len(values), median(values), p90(values), sum(values))
        for stage, values in spent.items()
    ]
    return sorted(found, key=lambda stage: -stage.total_s)


def numbers_of(seconds: Any) -> list[tuple[str, float]]:
    """Return the stages of a report and their seconds, without those that other versions may have written."""
    if not isinstance(seconds, dict):
        return []
    return [
        (str(stage)[:40], float(value))
        for stage, value in seconds.items()
        if stage != "total" and isinstance(value, int | float)
    ]


def p90(values: list[float]) -> float:
    return quantiles(values, n=10, method="inclusive")[-1] if len(values) > 1 else values[0]
