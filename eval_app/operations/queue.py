"""Verifications that wait or run now."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Min

from datasets_app.models import Priority, Verification, WantedDevice


@dataclass(frozen=True)
class Waiting:
    """The queued verifications of one kind of device and one priority."""

    device: str
    priority: Priority
    count: int
    oldest: datetime | None  # when the one that has waited longest was asked for

    @property
    def label(self) -> str:
        return str(WantedDevice(self.device).label)

    def seconds(self, now: datetime) -> float:
        """Return how long the oldest has waited; 0 if none waits."""
        return max(0.0, (now - self.oldest).total_seconds()) if self.oldest else 0.0


def waiting() -> list[Waiting]:
    """Return an entry per kind of device and priority, also where nothing waits. One query, from an index alone."""
    groups = Verification.runs.waiting().order_by().values("wanted_device", "priority")
    found = {
        (row["wanted_device"], row["priority"]): (row["n"], row["oldest"])
        for row in groups.annotate(n=Count("pk"), oldest=Min("created_at"))
    }
    return [
        Waiting(device, priority, *found.get((device, priority), (0, None)))
        for device in WantedDevice.values
        for priority in Priority
    ]


def running() -> dict[str, int]:
    """Return the number of running verifications by kind of device."""
    counts = Verification.runs.running().order_by().values_list("wanted_device").annotate(n=Count("pk"))
    return dict.fromkeys(WantedDevice.values, 0) | dict(counts)
