"""One worker's work: take a message once, have the engine verify, bring the report, hand back what is unfinished."""

import logging
import threading
import time
import traceback
from collections import OrderedDict
from datetime import UTC, datetime
from typing import Any, Protocol

from eval_app.broker.message_locks import LOCK_LEASES, MessageLocks
from eval_app.host.assignment import Assignment, BadMessageError
from eval_app.host.heartbeat import RunningAssignments
from eval_app.host.outbox import Outbox
from eval_app.host.site_channel import persist

log = logging.getLogger(__name__)
REMEMBERED = 10_000  # rows that were taken


class Bench(Protocol):
    """What verifies: the engine on this machine's devices."""

    kinds: list[str]
    lanes: int

    def run_selftest(self) -> tuple[bool, str]:
        """Run the self-test: whether it passed, and what it found."""
        ...

    def describe(self) -> dict[str, Any]:
        """`devices`, `versions` and `sandbox`, for people."""
        ...

    def verify(self, assignment: Assignment) -> dict[str, Any] | None:
        """The report, or None if the assignment was cancelled on the way."""
        ...

    def close(self) -> None:
        """End every process of it."""
        ...


class AssignmentRunner:
    """Celery's threads call `work`; all state that they share is here."""

    def __init__(
        self,
        bench: Bench,
        locks: MessageLocks,
        outbox: Outbox,
        assignments: RunningAssignments,
        stopping: threading.Event,
    ) -> None:
        self.bench, self.locks, self.outbox, self.assignments, self.stopping = (
            bench,
            locks,
            outbox,
            assignments,
            stopping,
        )
        self._taken: OrderedDict[tuple[str, int], None] = OrderedDict()

    def work(self, message: Any) -> None:
        """Do what a message asks, unless somebody did or does."""
        try:
            assignment = Assignment.read(message)
        except BadMessageError as error:
            log.error("Dropped a message that this version cannot read: %s", error)
            return
        if self.stopping.is_set():
            self.hand_on(assignment)
        elif self.take(assignment):
            with self.assignments.holding(assignment):
                self.carry_out(assignment)

    def take(self, assignment: Assignment) -> bool:
        """Claim the message. Where the broker is down, wait for it: nothing can be done without.

        A claim can be deleted by whoever reaches the broker, so this process remembers as well: an old job that is
        sent again runs once.
        """
        row = (assignment.verification, assignment.attempt)
        if row in self._taken:
            return False
        taken: list[bool] = []
        seconds = LOCK_LEASES * assignment.lease_seconds
        persist(
            lambda: taken.append(self.locks.take(assignment.verification, assignment.attempt, seconds)),
            f"the claim of {assignment.verification}",
            self.stopping.is_set,
        )
        if taken == [False]:
            log.info("%s attempt %d: taken already", assignment.verification, assignment.attempt)
        if taken == [True]:
            self._taken[row] = None
            while len(self._taken) > REMEMBERED:
                self._taken.popitem(last=False)
        return taken == [True]

    def carry_out(self, assignment: Assignment) -> None:
        started = time.monotonic()
        log.info("%s: sample %s on %s", assignment.verification, assignment.sample, assignment.device)
        report = self.report_of(assignment)
        if report is None:
            self.hand_back(assignment)
            return
        assignment.enter("reporting")
        if self.outbox.deliver(assignment, report):
            self.finish_lock(assignment)
        seconds = time.monotonic() - started
        log.info("%s: %s in %.1f s", assignment.verification, report["outcome"], seconds)

    def report_of(self, assignment: Assignment) -> dict[str, Any] | None:
        """The engine's report. A fault of ours is a report too: infra_error, with its traceback."""
        try:
            return self.bench.verify(assignment)
        except Exception:
            if assignment.cancelled.is_set():
                return None  # the engine was torn down under it
            log.exception("%s: the engine failed", assignment.verification)
            return failure(assignment, traceback.format_exc())

    def hand_back(self, assignment: Assignment) -> None:
        """Nobody waits for it any more, or this worker stops: then the site sends it to the next one."""
        self.finish_lock(assignment)
        if self.stopping.is_set():
            self.hand_on(assignment)
        else:
            log.info("%s: not wanted any more", assignment.verification)

    def hand_on(self, assignment: Assignment) -> None:
        """Give it back to the site: a host may not put anything into the queues."""
        log.info("%s: given back", assignment.verification)
        what = f"{assignment.verification}, given back"
        persist(lambda: self.outbox.channel.give_back(assignment), what, self.stopping.is_set)

    def finish_lock(self, assignment: Assignment) -> None:
        persist(
            lambda: self.locks.finish(assignment.verification, assignment.attempt),
            f"the end of {assignment.verification}",
            self.stopping.is_set,
        )


def failure(assignment: Assignment, detail: str) -> dict[str, Any]:
    """A report that says that the machinery failed."""
    detail = detail.replace("\x00", "?").encode("utf-8", "replace").decode()  # which no report may hold
    return {
        "id": assignment.sample[:200],
        "outcome": "infra_error",
        "detail": f"The worker failed in stage {assignment.stage!r}:\n{detail[-7000:]}",
        "started_at": datetime.now(UTC).isoformat(),
    }
