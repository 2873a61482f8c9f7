"""The worker's heartbeat: its rows in progress every third of a lease, its properties every ten seconds."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from eval_app.broker.message_locks import LOCK_LEASES, MessageLocks
from eval_app.host.answer import Answer
from eval_app.host.assignment import Assignment
from eval_app.host.site_channel import BROKER_ERRORS, SiteChannel

log = logging.getLogger(__name__)
ANNOUNCE_SECONDS = 10.0
ANSWER_SECONDS = 2.0  # between two looks at the site's answer
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

    def cancel_all(self) -> None:
        """Cancel the assignments in progress, so that they are given back."""
        with self._lock:
            for assignment in self._running.values():
                assignment.wanted_back = True
                assignment.cancelled.set()

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
        answered: Callable[[Answer], None] = lambda answer: None,
    ) -> None:
        super().__init__(name="heartbeat", daemon=True)
        self.channel, self.locks, self.assignments, self.facts, self.answered = (
            channel,
            locks,
            assignments,
            facts,
            answered,
        )
        self._unanswered = 0
        self._ended = threading.Event()
        self._announced = self._renewed = self._read = float("-inf")
        self._answer: Answer | None = None
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
            self.quietly(self.count_answer)
        elif now - self._read >= (ANSWER_SECONDS if self._answer else TICK_SECONDS):
            self._read = now
            self.quietly(self.read_answer)

    def announce(self) -> None:
        """Announce the worker's state."""
        self.channel.announce(self.facts())

    def count_answer(self) -> None:
        """Warn after several announcements without an answer: the site may not know the key."""
        self._unanswered = 0 if self.read_answer() else self._unanswered + 1
        if self._unanswered == UNANSWERED:
            log.warning("%s", SILENCE)

    def read_answer(self) -> bool:
        """Pass on the site's newest answer, if it is another one than before; return whether there is one."""
        answer = self.channel.answer()
        if answer is not None and answer != self._answer:
            self._answer = answer
            self.answered(answer)
        return answer is not None

    def renew_leases(self, running: list[Assignment]) -> None:
        """Renew leases and message locks. A lock that was ended cancels its assignment."""
        self.channel.heartbeat([item.progress() for item in running])
        for item in running:
            seconds = LOCK_LEASES * item.lease_seconds
            if not self.locks.renew(item.verification, item.attempt, seconds):
                item.cancelled.set()

    def quietly(self, action: Callable[[], object]) -> None:
        """Run an action; a temporary failure of the broker must not end the thread."""
        try:
            action()
        except BROKER_ERRORS as error:
            log.warning("No heartbeat was sent: the broker does not answer (%s)", error)
