"""The workers for people: which are alive, and what a queued verification waits for."""

from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone
from django.utils.timesince import timesince

from datasets_app.models import WantedDevice
from eval_app.models import Worker
from eval_app.models.host import ALIVE


@dataclass(frozen=True)
class Fleet:
    """All workers that ever announced themselves, read once."""

    workers: list[Worker]
    now: datetime

    @classmethod
    def read(cls) -> "Fleet":
        return cls(list(Worker.objects.all()), timezone.now())

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

    def takes(self, kind: str) -> bool:
        return any(kind in worker.queues for worker in self.ready)

    def will_take(self, kind: str) -> bool:
        """Return whether a worker takes this kind of device, or will if its self-test passes."""
        accepted = (Worker.State.READY, Worker.State.TESTING)
        return any(kind in worker.queues and worker.state in accepted for worker in self.alive)

    def waits_for(self, kind: str) -> str:
        """Return why no worker takes this kind of device; empty if one does."""
        if self.takes(kind):
            return ""
        able = [worker for worker in self.workers if kind in worker.queues]
        return f"waits for a {WantedDevice(kind).label} worker; {self.reason(able)}"

    def reason(self, able: list[Worker]) -> str:
        """Return the state of the newest of the workers that could take it."""
        if not able:
            return "none has been seen"
        newest = max(able, key=lambda worker: worker.seen_at)
        if not self.is_alive(newest):
            return f"the last one, {newest.name}, was seen {timesince(newest.seen_at, self.now)} ago"
        if newest.state == Worker.State.TESTING:
            return f"{newest.name} runs its self-test"
        return f"{newest.name} failed its self-test"
