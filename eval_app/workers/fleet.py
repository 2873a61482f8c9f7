"""The workers for people: which are alive, and what a queued verification waits for."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.timesince import timesince

from datasets_app.models import WantedDevice
from eval_app.models import Worker
from eval_app.models.host import ALIVE
from eval_app.workers.requirement import Requirement


@dataclass(frozen=True)
class Fleet:
    """All workers that ever announced themselves, read once."""

    workers: list[Worker]
    now: datetime

    @classmethod
    def read(cls) -> "Fleet":
        return cls(list(Worker.objects.select_related("host")), timezone.now())

    def is_alive(self, worker: Worker) -> bool:
        return worker.state != Worker.State.STOPPED and worker.seen_at >= self.now - ALIVE

    @property
    def alive(self) -> list[Worker]:
        return [worker for worker in self.workers if self.is_alive(worker)]

    @property
    def gone(self) -> list[Worker]:
        return [worker for worker in self.workers if not self.is_alive(worker)]

    @property
    def ready(self) -> list[Worker]:
        return [worker for worker in self.alive if worker.state == Worker.State.READY]

    @property
    def testing(self) -> list[Worker]:
        """Return the live workers whose self-test has not finished."""
        return [worker for worker in self.alive if worker.state == Worker.State.TESTING]

    @property
    def accepting(self) -> list[Worker]:
        """Return the ready workers whose host is not held."""
        return [worker for worker in self.ready if not hold_of(worker)]

    def takes(self, kind: str, requirement: str = "") -> bool:
        """Return whether a worker takes this kind of device with this requirement."""
        return any(meets(worker, kind, requirement) for worker in self.accepting)

    def will_take(self, kind: str, requirement: str = "") -> bool:
        """Return whether a worker takes this kind of device, or will if its self-test passes."""
        states = (Worker.State.READY, Worker.State.TESTING)
        able = [worker for worker in self.alive if worker.state in states and not hold_of(worker)]
        return any(meets(worker, kind, requirement) for worker in able)

    def waits_for(self, kind: str, requirement: str = "") -> str:
        """Return why no worker takes this kind of device with this requirement; empty if one does."""
        if self.takes(kind, requirement):
            return ""
        label, able = WantedDevice(kind).label, [worker for worker in self.workers if meets(worker, kind)]
        if not requirement:
            return f"waits for a {label} worker; {self.reason(able)}"
        wanted = Requirement.read(requirement)
        able = [worker for worker in able if meets(worker, kind, requirement)]
        reason = self.reason(able) if able else self.unmet(kind, wanted)
        return f"waits for a {label} worker {wanted.words}; {reason}"

    def unmet(self, kind: str, wanted: Requirement) -> str:
        """Return which part of a requirement no worker meets."""
        seen = [worker for worker in self.alive if meets(worker, kind)]
        if not seen:
            return f"no {WantedDevice(kind).label} worker is there"
        missing = [
            part for part in wanted.parts if not any(meets(worker, kind, part.text) for worker in seen)
        ]
        return " and ".join(part.lack for part in missing) or "no worker has all of it"

    def reason(self, able: list[Worker]) -> str:
        """Return the state of the newest of the workers that could take it."""
        if not able:
            return "none has been seen"
        newest = max(able, key=lambda worker: (self.is_alive(worker), worker.seen_at))
        if not self.is_alive(newest):
            under_a_minute = self.now - newest.seen_at < timedelta(minutes=1)
            gap = "less than a minute" if under_a_minute else timesince(newest.seen_at, self.now)
            return f"the last one, {newest.name}, was seen {gap} ago"
        if hold := hold_of(newest):
            return f"{newest.name} is {hold}"
        if newest.state == Worker.State.TESTING:
            return f"{newest.name} runs its self-test"
        return f"{newest.name} failed its self-test"


def hold_of(worker: Worker) -> str:
    """Return "paused" or "draining" if its host takes nothing new; else an empty text."""
    return worker.host.hold if worker.host is not None else ""


def meets(worker: Worker, kind: str, requirement: str = "") -> bool:
    """Return whether a worker has this kind of device, and its devices meet the requirement."""
    if kind not in worker.queues:
        return False
    devices = [device for device in worker.devices if isinstance(device, dict) and device.get("kind") == kind]
    return not requirement or Requirement.read(requirement).met_by(devices)
