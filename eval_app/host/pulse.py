"""The worker's pulse: what it works on, every third of a lease; what it is, every ten seconds."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from eval_app.claims import Claims
from eval_app.host.assignment import Assignment
from eval_app.host.line import BROKER_ERRORS, Line

log = logging.getLogger(__name__)
ANNOUNCE_SECONDS = 10.0
IDLE_LEASE_SECONDS = 30
TICK_SECONDS = 0.5
CLAIM_LEASES = 2  # a claim outlives the row's lease: the row is handed on first


class Desk:
    """The assignments that are being worked on now."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: dict[str, Assignment] = {}
        self._closed = False

    @contextmanager
    def holding(self, assignment: Assignment) -> Iterator[None]:
        with self._lock:
            self._running[assignment.verification] = assignment
            if self._closed:
                assignment.cancelled.set()
        try:
            yield
        finally:
            with self._lock:
                self._running.pop(assignment.verification, None)

    def running(self) -> list[Assignment]:
        with self._lock:
            return list(self._running.values())

    def close(self) -> None:
        """Cancel what runs, and whatever still comes."""
        with self._lock:
            self._closed = True
            for assignment in self._running.values():
                assignment.cancelled.set()


class Pulse(threading.Thread):
    """Beats whatever the engine does: silence means that the worker is dead."""

    def __init__(self, line: Line, claims: Claims, desk: Desk, facts: Callable[[], dict[str, Any]]) -> None:
        super().__init__(name="pulse", daemon=True)
        self.line, self.claims, self.desk, self.facts = line, claims, desk, facts
        self._ended = threading.Event()
        self._announced = self._beaten = float("-inf")
        self._said: list[dict[str, Any]] = []

    def run(self) -> None:
        while not self._ended.wait(TICK_SECONDS):
            self.tick(time.monotonic())

    def end(self) -> None:
        """Beat no more, and say so."""
        self._ended.set()
        self.quietly(self.announce)

    def tick(self, now: float) -> None:
        """Say what is due: the running rows at once when a stage changed, else in time for their leases."""
        running = self.desk.running()
        lease = min((item.lease_seconds for item in running), default=IDLE_LEASE_SECONDS)
        said = [item.progress() for item in running]
        if running and (said != self._said or now - self._beaten >= lease / 3):
            self._beaten, self._said = now, said
            self.quietly(lambda: self.beat(running, lease))
        if now - self._announced >= ANNOUNCE_SECONDS:
            self._announced = now
            self.quietly(self.announce)

    def announce(self) -> None:
        self.line.announce(self.facts(), seconds=int(3 * ANNOUNCE_SECONDS))

    def beat(self, running: list[Assignment], lease: int) -> None:
        """Renew leases and claims. A claim that was ended means that nobody waits for this any more."""
        self.line.heartbeat([item.progress() for item in running], seconds=lease)
        for item in running:
            seconds = CLAIM_LEASES * item.lease_seconds
            if not self.claims.renew(item.verification, item.attempt, seconds):
                item.cancelled.set()

    def quietly(self, action: Callable[[], None]) -> None:
        """A broker that is down for a while must not end the pulse."""
        try:
            action()
        except BROKER_ERRORS as error:
            log.warning("No pulse: the broker does not answer (%s)", error)
