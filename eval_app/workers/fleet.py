"""The workers as people need to see them: who is there, and what a waiting verification waits for."""

from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone
from django.utils.timesince import timesince

from datasets_app.models import WantedDevice
from eval_app.models import Worker
from eval_app.models.querysets import ALIVE


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
        """Alive, and not yet sure of themselves."""
        return [worker for worker in self.alive if worker.state == Worker.State.TESTING]

    def takes(self, kind: str) -> bool:
        return any(kind in worker.queues for worker in self.ready)

    def will_take(self, kind: str) -> bool:
        """Also true of a worker that is still proving itself."""
        hopeful = (Worker.State.READY, Worker.State.TESTING)
        return any(kind in worker.queues and worker.state in hopeful for worker in self.alive)

    def waits_for(self, kind: str) -> str:
        """Why work for this kind of device stands still; empty where a worker takes it."""
        if self.takes(kind):
            return ""
        able = [worker for worker in self.workers if kind in worker.queues]
        return f"waits for a {WantedDevice(kind).label} worker; {self.reason(able)}"

    def reason(self, able: list[Worker]) -> str:
        if not able:
            return "none has been seen"
        newest = max(able, key=lambda worker: worker.seen_at)
        if not self.is_alive(newest):
            return f"the last one, {newest.name}, was seen {timesince(newest.seen_at, self.now)} ago"
        if newest.state == Worker.State.TESTING:
            return f"{newest.name} is proving itself"
        return f"{newest.name} failed its self-test"
