"""The threads that run requests, and the bounded queue in front of them."""

import time
from typing import Generic, Protocol, TypeVar

from waitress.task import ThreadedTaskDispatcher


class Queued(Protocol):
    """A channel with a request to run."""

    queued_at: float


C = TypeVar("C", bound=Queued)


class Dispatcher(ThreadedTaskDispatcher, Generic[C]):
    """waitress's dispatcher with a bounded queue, whose overdue entries can be removed."""

    def __init__(self, threads: int, most_waiting: int, most_seconds: float) -> None:
        super().__init__()
        self.most_waiting, self.most_seconds = most_waiting, most_seconds
        self.set_thread_count(threads)

    def add(self, channel: C) -> bool:
        """Queue the channel's next request. Return False if the queue is full."""
        if len(self.queue) >= self.most_waiting:
            return False
        channel.queued_at = time.monotonic()
        self.add_task(channel)
        return True

    def take_overdue(self) -> list[C]:
        """Remove the channels that have waited for longer than most_seconds."""
        cutoff = time.monotonic() - self.most_seconds
        overdue: list[C] = []
        with self.lock:
            while self.queue and self.queue[0].queued_at < cutoff:
                overdue.append(self.queue.popleft())
        return overdue
