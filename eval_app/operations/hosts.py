"""Hosts, their workers and devices, as they last announced themselves."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from datasets_app.models import WantedDevice
from eval_app.models import Host, Worker
from eval_app.models.host import ALIVE
from eval_app.results.versions import engine_refusal, is_other_engine

OTHER = "other"
LANE_STATES = ("free", "busy", "testing", "broken")  # of the engine's lanes; a host may send others
SKEW = timedelta(seconds=30)


@dataclass(frozen=True)
class HostState:
    """One host with what its workers say."""

    host: Host
    workers: list[Worker]
    now: datetime

    @property
    def devices(self) -> dict[tuple[str, str], int]:
        """Return the number of devices of its live workers by kind and state."""
        return dict(Counter(device_state(device) for worker in self.alive for device in worker.devices))

    @property
    def alive(self) -> list[Worker]:
        return [worker for worker in self.workers if is_alive(worker, self.now)]

    @property
    def ready(self) -> list[Worker]:
        return [worker for worker in self.alive if worker.state == Worker.State.READY]

    @property
    def unhealthy(self) -> list[Worker]:
        return [worker for worker in self.alive if worker.state == Worker.State.UNHEALTHY]

    @property
    def away(self) -> list[Worker]:
        """Return the workers that fell silent without having been stopped."""
        return [
            worker
            for worker in self.workers
            if worker.state != Worker.State.STOPPED and worker not in self.alive
        ]

    def worker_counts(self) -> dict[str, int]:
        """Return the number of workers by state, those that fell silent as `away`."""
        states = Counter(worker.state for worker in self.alive)
        return {**dict.fromkeys(("testing", "ready", "unhealthy"), 0), **states, "away": len(self.away)}

    @property
    def lanes(self) -> int:
        return sum(worker.lanes for worker in self.ready)

    @property
    def busy(self) -> int:
        return sum(worker.busy for worker in self.ready)

    @property
    def silent_seconds(self) -> float | None:
        """Return the time since its last accepted message; None if none ever came."""
        return max(0.0, (self.now - self.host.seen_at).total_seconds()) if self.host.seen_at else None

    @property
    def broken_devices(self) -> int:
        return sum(n for (_, state), n in self.devices.items() if state == "broken")

    @property
    def clock_skew(self) -> timedelta | None:
        """Return how far its clock is ahead of the site's, by its newest announcement; None without one.

        The message's own time is in its number; the way through the broker makes a clock look late by that much.
        """
        newest = max(self.alive, key=lambda worker: worker.seen_at, default=None)
        if newest is None or not newest.sequence:
            return None
        return timedelta(microseconds=newest.sequence - newest.seen_at.timestamp() * 1_000_000)

    @property
    def is_skewed(self) -> bool:
        return self.clock_skew is not None and abs(self.clock_skew) > SKEW

    @property
    def other_engines(self) -> list[str]:
        """Return the engines of its workers that are not this site's."""
        engines = {str(worker.versions.get("engine", "")) for worker in self.alive}
        return sorted(engine for engine in engines if engine and is_other_engine(engine))

    def refusals(self) -> list[str]:
        """Return why the site refuses it, if it does: its newest refusal, and engines that are too old or too new."""
        reasons = [self.host.refusal] if self.host.refusal else []
        return reasons + [reason for engine in self.other_engines if (reason := engine_refusal(engine))]


def is_alive(worker: Worker, now: datetime) -> bool:
    return worker.state != Worker.State.STOPPED and worker.seen_at >= now - ALIVE


def device_state(device: dict[str, str]) -> tuple[str, str]:
    """Return kind and state of a device in words that are known."""
    kind, state = str(device.get("kind", "")), str(device.get("state", ""))
    return kind if kind in WantedDevice.values else OTHER, state if state in LANE_STATES else OTHER


def states() -> list[HostState]:
    """Return every host that is not revoked. Two queries."""
    hosts = Host.objects.filter(revoked_at=None).prefetch_related("workers")
    return [HostState(host, list(host.workers.all()), timezone.now()) for host in hosts]
