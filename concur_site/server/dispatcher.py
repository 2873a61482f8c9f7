"""The threads that run requests, and the bounded queue in front of them."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from waitress.task import ThreadedTaskDispatcher

if TYPE_CHECKING:
    from concur_site.server.channel import Channel


class Dispatcher(ThreadedTaskDispatcher):
    """waitress's dispatcher, with a queue that says when it is full and gives back what waited too long."""

    def __init__(self, threads: int, most_waiting: int, most_seconds: float) -> None:
        super().__init__()
        self.most_waiting, self.most_seconds = most_waiting, most_seconds
        self.set_thread_count(threads)

    def add(self, channel: "Channel") -> bool:
        """Queue the channel's next request. False: the queue is full."""
        if len(self.queue) >= self.most_waiting:
            return False
        channel.queued_at = time.monotonic()
        self.add_task(channel)
        return True

    def take_overdue(self) -> "list[Channel]":
        """Remove the channels that have waited for longer than most_seconds."""
        cutoff = time.monotonic() - self.most_seconds
        overdue = []
        with self.lock:
            while self.queue and self.queue[0].queued_at < cutoff:
                overdue.append(self.queue.popleft())
        return overdue


@dataclass
class Running:
    """One request in its thread. Time in which the thread waits for the client is not counted."""

    name: str
    started_at: float = field(default_factory=time.monotonic)
    waiting_since: float | None = None

    def seconds(self, now: float) -> float:
        return (self.waiting_since or now) - self.started_at

    @contextmanager
    def waiting_for_client(self) -> Iterator[None]:
        self.waiting_since = time.monotonic()
        try:
            yield
        finally:
            self.started_at += time.monotonic() - self.waiting_since
            self.waiting_since = None
