"""One request that a thread runs, with the time since it last got on."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass
class Running:
    """One request in its thread. Time in which the thread waits for the client is not counted, nor what comes before
    the last part of a response: a long stream gets on.
    """

    name: str
    started_at: float = field(default_factory=time.monotonic)
    waiting_since: float | None = None

    def seconds(self, now: float) -> float:
        return (self.waiting_since or now) - self.started_at

    def got_on(self) -> None:
        self.started_at = time.monotonic()

    @contextmanager
    def waiting_for_client(self) -> Iterator[None]:
        self.waiting_since = time.monotonic()
        try:
            yield
        finally:
            self.started_at += time.monotonic() - self.waiting_since
            self.waiting_since = None
