"""The worker's pulse: what it works on, every third of a lease; what it is, every ten seconds."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from eval_app.broker.message_locks import CLAIM_LEASES, Claims
from eval_app.host.assignment import Assignment
from eval_app.host.line import BROKER_ERRORS, Line

log = logging.getLogger(__name__)
ANNOUNCE_SECONDS = 10.0
IDLE_LEASE_SECONDS = 30
TICK_SECONDS = 0.5
UNANSWERED = 6  # announcements in a row before the log says so
SILENCE = (
    "The site has not answered for a minute. Either its background worker is not running (manage.py sweep), or it does "
    "not accept this host's key: its verify page says which. If it was rotated, set CONCUR_HOST_KEY to the new one"
)


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

    def __init__(
        self,
        line: Line,
        claims: Claims,
        desk: Desk,
        facts: Callable[[], dict[str, Any]],
        refused: Callable[[str], None] = lambda reason: None,
    ) -> None:
        super().__init__(name="pulse", daemon=True)
        self.line, self.claims, self.desk, self.facts, self.refused = line, claims, desk, facts, refused
        self._unanswered = 0
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
            self.quietly(lambda: self.beat(running))
        if now - self._announced >= ANNOUNCE_SECONDS:
            self._announced = now
            self.quietly(self.announce)
            self.quietly(self.read_answer)

    def announce(self) -> None:
        self.line.announce(self.facts())

    def read_answer(self) -> None:
        """The site's answer to an announcement before this one. Silence may mean that it does not know the key."""
        refusal = self.line.refusal()
        self._unanswered = self._unanswered + 1 if refusal is None else 0
        if self._unanswered == UNANSWERED:
            log.warning("%s", SILENCE)
        if refusal:
            self.refused(refusal)

    def beat(self, running: list[Assignment]) -> None:
        """Renew leases and claims. A claim that was ended means that nobody waits for this any more."""
        self.line.heartbeat([item.progress() for item in running])
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
