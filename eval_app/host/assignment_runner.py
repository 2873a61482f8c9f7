"""Running assignments: take a message once, have the engine verify it, deliver the report, give back
unfinished ones."""

import logging
import threading
import time
import traceback
from collections import OrderedDict
from datetime import UTC, datetime
from typing import Any, Protocol

from datasets_app.log_context import context
from eval_app.broker.message_locks import LOCK_LEASES, MessageLocks
from eval_app.host.assignment import Assignment, BadMessageError
from eval_app.host.heartbeat import RunningAssignments
from eval_app.host.outbox import Outbox
from eval_app.host.site_channel import persist

log = logging.getLogger(__name__)
REMEMBERED = 10_000  # assignments


class Bench(Protocol):
    """The engine on this machine's devices."""

    kinds: list[str]
    lanes: int

    def run_selftest(self) -> tuple[bool, str]:
        """Run the self-test; return whether it passed, and its result as text."""
        ...

    def describe(self) -> dict[str, Any]:
        """Return `devices`, `versions` and `sandbox` for people."""
        ...

    def verify(self, assignment: Assignment) -> dict[str, Any] | None:
        """Return the report, or None if the assignment was cancelled."""
        ...

    def close(self) -> None:
        """End all of its processes."""
        ...


class AssignmentRunner:
    """Runs assignments. Celery's threads call `work`; all shared state is here."""

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
        self.held = threading.Event()  # the site wants this host to take nothing new
        self._taken: OrderedDict[tuple[str, int], None] = OrderedDict()

    def work(self, message: Any) -> None:
        """Run the assignment in a message, unless another worker has taken it."""
        try:
            assignment = Assignment.read(message)
        except BadMessageError as error:
            log.error("Dropped a message that this version cannot read: %s", error)
            return
        with context.on_job(context.verification_job(assignment.verification, assignment.attempt)):
            if self.gives_back:
                self.hand_on(assignment)
            elif self.take(assignment):
                with self.assignments.holding(assignment):
                    # Asked again: a pause that came while the lock was taken has cancelled only what ran by then.
                    (self.hand_back if self.gives_back else self.carry_out)(assignment)

    @property
    def gives_back(self) -> bool:
        """Return whether others run what arrives, or was cancelled, now."""
        return self.stopping.is_set() or self.held.is_set()

    def take(self, assignment: Assignment) -> bool:
        """Lock the message; wait if the broker is down, because nothing can be done without it.

        Anyone who can reach the broker can delete a lock, so this process remembers taken messages as well:
        an old job that is sent again runs once.
        """
        row = (assignment.verification, assignment.attempt)
        if row in self._taken:
            self.note_again(assignment)
            return False
        taken: list[bool] = []
        seconds = LOCK_LEASES * assignment.lease_seconds
        persist(
            lambda: taken.append(self.locks.take(assignment.verification, assignment.attempt, seconds)),
            f"the lock of {assignment.verification}",
            self.stopping.is_set,
        )
        if taken == [False]:
            log.info("%s attempt %d: taken already", assignment.verification, assignment.attempt)
        if taken == [True]:
            self._taken[row] = None
            while len(self._taken) > REMEMBERED:
                self._taken.popitem(last=False)
        return taken == [True]

    def note_again(self, assignment: Assignment) -> None:
        """Mark a message that comes again as finished, unless it is in progress.

        The site sends one again if the broker lost its lock and its report; it gives a finished attempt without a
        report a new number.
        """
        if all(running.verification != assignment.verification for running in self.assignments.running()):
            log.info("%s attempt %d: done already", assignment.verification, assignment.attempt)
            self.finish_lock(assignment)

    def carry_out(self, assignment: Assignment) -> None:
        """Verify the assignment and deliver its report."""
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
        """Return the engine's report, None after a cancellation. A failure of the worker is an infra_error
        with its traceback."""
        try:
            return self.bench.verify(assignment)
        except Exception:
            if assignment.cancelled.is_set():
                return None  # the engine was closed meanwhile
            log.exception("%s: the engine failed", assignment.verification)
            return failure(assignment, traceback.format_exc())

    def hand_back(self, assignment: Assignment) -> None:
        """Release an unfinished assignment: it was cancelled, or this worker stops and the site sends it to
        another."""
        self.finish_lock(assignment)
        if self.gives_back or assignment.wanted_back:
            self.hand_on(assignment)
        else:
            log.info("%s: cancelled", assignment.verification)

    def hand_on(self, assignment: Assignment) -> None:
        """Give the assignment back to the site: a host may not write to the queues."""
        log.info("%s: given back", assignment.verification)
        what = f"{assignment.verification}, given back"
        persist(lambda: self.outbox.channel.give_back(assignment), what, self.stopping.is_set)

    def finish_lock(self, assignment: Assignment) -> None:
        """Mark the message as finished."""
        persist(
            lambda: self.locks.finish(assignment.verification, assignment.attempt),
            f"the end of {assignment.verification}",
            self.stopping.is_set,
        )


def failure(assignment: Assignment, detail: str) -> dict[str, Any]:
    """Return a report of a failure of the worker."""
    detail = detail.replace("\x00", "?").encode("utf-8", "replace").decode()  # not allowed in a report
    return {
        "id": assignment.sample[:200],
        "outcome": "infra_error",
        "detail": f"The worker failed in stage {assignment.stage!r}:\n{detail[-7000:]}",
        "started_at": datetime.now(UTC).isoformat(),
    }
