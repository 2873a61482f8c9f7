"""A circuit breaker: after a failure the broker is not contacted for some seconds, so that requests do not
wait again.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import redis
from kombu.exceptions import OperationalError

BROKER_ERRORS = (OperationalError, redis.RedisError, OSError)
SILENCE_SECONDS = 5.0


class NotAskedError(OperationalError):
    """The circuit is open: the failure that opened it was reported when it happened."""


class Circuit:
    """Closed: every attempt is made. Open, after a failure: no attempt is made for some seconds, then a single one,
    whose result closes or reopens the circuit.
    """

    def __init__(
        self, silence_seconds: float = SILENCE_SECONDS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.silence_seconds = silence_seconds
        self.clock = clock
        self._lock = threading.Lock()
        self._failed_at: float | None = None

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Ask the broker inside. Raises NotAskedError at once while the circuit is open."""
        self._enter()
        try:
            yield
        except BROKER_ERRORS:
            with self._lock:
                self._failed_at = self.clock()
            raise
        self.reset()

    def reset(self) -> None:
        """Close the circuit: the broker has answered."""
        with self._lock:
            self._failed_at = None

    def _enter(self) -> None:
        with self._lock:
            if self._failed_at is None:
                return
            if self.clock() - self._failed_at < self.silence_seconds:
                raise NotAskedError("the broker did not answer some seconds ago; not trying again yet")
            self._failed_at = self.clock()  # no other attempt is made meanwhile


circuit = Circuit()  # one per process, shared by its threads
