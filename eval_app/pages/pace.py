"""The pace of verifications: how long one takes the workers, as recent runs measured it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.utils import timezone

from datasets_app.models import Verification

Work = tuple[str, str]  # kind of device, profile
MEASURED_RUNS = 400  # newest ones that are read
RECENT = timedelta(days=7)
FEWEST_RUNS = 5  # of one kind and profile; fewer say nothing


@dataclass(frozen=True)
class Pace:
    """Seconds of the workers per verification, by kind of device and profile; what runs at once is included."""

    seconds_per_run: Mapping[Work, float] = field(default_factory=dict)

    @classmethod
    def read(cls) -> Pace:
        """Measure the pace from the newest runs of this site's workers; one query."""
        own = Verification.runs.finished().own().filter(finished_at__gte=timezone.now() - RECENT)
        newest = own.exclude(started_at=None).order_by("-finished_at")[:MEASURED_RUNS]
        spans: dict[Work, list[tuple[datetime, datetime]]] = defaultdict(list)
        for kind, profile, start, end in newest.values_list(
            "wanted_device", "profile", "started_at", "finished_at"
        ):
            if start and end:  # both are set: the query says so, the types do not
                spans[kind, profile].append((start, end))
        measured = {work: runs for work, runs in spans.items() if len(runs) >= FEWEST_RUNS}
        return cls({work: busy_seconds(runs) / len(runs) for work, runs in measured.items()})

    def left(self, counts: Iterable[tuple[Work, int]]) -> timedelta | None:
        """Return how long these verifications take; None if the pace of any of them was not measured.

        Kinds of device work side by side: the slower one decides.
        """
        seconds: dict[str, float] = defaultdict(float)
        for work, count in counts:
            if count and work not in self.seconds_per_run:
                return None
            seconds[work[0]] += count * self.seconds_per_run.get(work, 0.0)
        return timedelta(seconds=max(seconds.values(), default=0.0))


def busy_seconds(spans: Iterable[tuple[datetime, datetime]]) -> float:
    """Return the length of the union of the spans: idle time between them does not count."""
    seconds, until = 0.0, None
    for start, end in sorted(spans):
        start = max(start, until) if until else start
        if end > start:
            seconds += (end - start).total_seconds()
            until = end
    return seconds


def duration_words(time: timedelta) -> str:
    """Return "about 4 minutes", no more exact than an estimate is."""
    seconds = time.total_seconds()
    if seconds < 60:
        return "less than a minute"
    if seconds < 90 * 60:
        minutes = round(seconds / 60)
        return f"about {minutes} minute{'' if minutes == 1 else 's'}"
    hours = round(seconds / 3600)
    return f"about {hours} hours" if hours < 48 else f"about {round(hours / 24)} days"
