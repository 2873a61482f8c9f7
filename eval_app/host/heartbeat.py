"""The worker's heartbeat: its rows in progress every third of a lease, its properties every ten seconds."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from eval_app.broker.message_locks import LOCK_LEASES, MessageLocks
from eval_app.host.assignment import Assignment
from eval_app.host.site_channel import BROKER_ERRORS, SiteChannel

log = logging.getLogger(__name__)
ANNOUNCE_SECONDS = 10.0
IDLE_LEASE_SECONDS = 30
TICK_SECONDS = 0.5
UNANSWERED = 6  # consecutive announcements without an answer before a warning
SILENCE = (
    "The site has not answered for a minute. Either its background worker is not running (manage.py sweep), or it "
    "rejects this host's key: its verify page says which. If the key was rotated, set CONCUR_HOST_KEY to the new one"
)


class RunningAssignments:
    """The assignments in progress."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: dict[str, Assignment] = {}
        self._closed = False

    @contextmanager
    def holding(self, assignment: Assignment) -> Iterator[None]:
        """Register an assignment for the block."""
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
        """Return the assignments in progress."""
        with self._lock:
            return list(self._running.values())

    def close(self) -> None:
        """Cancel all assignments, present and future."""
        with self._lock:
            self._closed = True
            for assignment in self._running.values():
                assignment.cancelled.set()


class Heartbeat(threading.Thread):
    """A thread that reports independently of the engine: without its messages the site takes the worker for dead."""

    def __init__(
        self,
        channel: SiteChannel,
        locks: MessageLocks,
        assignments: RunningAssignments,
        facts: Callable[[], dict[str, Any]],
        refused: Callable[[str], None] = lambda reason: None,
    ) -> None:
        super().__init__(name="heartbeat", daemon=True)
        self.channel, self.locks, self.assignments, self.facts, self.refused = (
            channel,
            locks,
            assignments,
            facts,
            refused,
        )
        self._unanswered = 0
        self._ended = threading.Event()
        self._announced = self._renewed = float("-inf")
        self._progress: list[dict[str, Any]] = []

    def run(self) -> None:
        while not self._ended.wait(TICK_SECONDS):
            self.tick(time.monotonic())

    def end(self) -> None:
        """Stop, after a last announcement."""
        self._ended.set()
        self.quietly(self.announce)

    def tick(self, now: float) -> None:
        """Send what is due: rows in progress at once if a stage changed, else in time for their leases."""
        running = self.assignments.running()
        lease = min((item.lease_seconds for item in running), default=IDLE_LEASE_SECONDS)
        progress = [item.progress() for item in running]
        if running and (progress != self._progress or now - self._renewed >= lease / 3):
            self._renewed, self._progress = now, progress
            self.quietly(lambda: self.renew_leases(running))
        if now - self._announced >= ANNOUNCE_SECONDS:
            self._announced = now
            self.quietly(self.announce)
            self.quietly(self.read_answer)

    def announce(self) -> None:
        """Announce the worker's state."""
        self.channel.announce(self.facts())

    def read_answer(self) -> None:
        """Read the site's answer to an earlier announcement. No answer may mean that it does not know the key."""
        refusal = self.channel.refusal()
        self._unanswered = self._unanswered + 1 if refusal is None else 0
        if self._unanswered == UNANSWERED:
            log.warning("%s", SILENCE)
        if refusal:
            self.refused(refusal)

    def renew_leases(self, running: list[Assignment]) -> None:
        """Renew leases and message locks. A lock that was ended cancels its assignment."""
        self.channel.heartbeat([item.progress() for item in running])
        for item in running:
            seconds = LOCK_LEASES * item.lease_seconds
            if not self.locks.renew(item.verification, item.attempt, seconds):
                item.cancelled.set()

    def quietly(self, action: Callable[[], None]) -> None:
        """Run an action; a temporary failure of the broker must not end the thread."""
        try:
            action()
        except BROKER_ERRORS as error:
            log.warning("No heartbeat was sent: the broker does not answer (%s)", error)
