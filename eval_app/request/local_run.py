"""Verifications that a command waits for: followed while workers run them, else run in the command's own process."""

import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.utils import timezone

from datasets_app.db.batched import batched
from datasets_app.jobs.job_row import lease_end
from datasets_app.models import JobState, Verification
from eval_app.attempts import leases
from eval_app.attempts.drop_messages import drop_messages
from eval_app.engine import ContractError
from eval_app.host.assignment import Assignment
from eval_app.host.assignment_runner import Bench, failure
from eval_app.host.bench import EngineBench
from eval_app.queue import dispatch
from eval_app.queue.job import message
from eval_app.results.record import record_report
from eval_app.workers.fleet import Fleet

Say = Callable[[str], None]
POLL_SECONDS = 1.0
SELFTEST_ATTEMPTS = 3
WORKER = "the verify command"


def rows_of(ids: Iterable[uuid.UUID]) -> list[Verification]:
    return [row for part in batched(ids, 500) for row in Verification.runs.with_subject().filter(pk__in=part)]


# --- Workers run them ---------------------------------------------------------------------------------------------


def follow(ids: list[uuid.UUID], say: Say) -> None:
    """Report each verification that finishes, until all have, or the remaining ones wait for a device that no worker
    has."""
    left = set(ids)
    while left:
        for row in rows_of(left):
            if row.is_finished:
                left.discard(row.pk)
                say(f"[{len(ids) - len(left)}/{len(ids)}] {line(row)}")
        if left and stuck(left):
            return
        time.sleep(POLL_SECONDS if left else 0)


def stuck(ids: Iterable[uuid.UUID]) -> bool:
    """Return whether all of these are queued for a kind of device that no worker takes."""
    fleet = Fleet.read()
    return all(
        row.state == JobState.QUEUED and not fleet.will_take(row.wanted_device, row.requirement)
        for row in rows_of(ids)
    )


def line(row: Verification) -> str:
    speedup = f" {row.speedup:.2f}x" if row.speedup else ""
    return f"{row.subject().task.name} {row.subject_id} {row.status}{speedup} {row.detail.partition(chr(10))[0][:120]}"


# --- This process runs them ---------------------------------------------------------------------------------------


def run(ids: list[uuid.UUID], say: Say, bench: Bench | None = None) -> None:
    """Verify on this machine what it can, with the worker's own bench; rows with a requirement, and of other devices,
    stay queued."""
    bench = bench or machine_bench()
    try:
        if passes_selftest(bench, say):
            work_through(ids, bench, say)
    finally:
        bench.close()
        dispatch.send_after_commit([row.pk for row in rows_of(ids) if row.state == JobState.QUEUED])


def passes_selftest(bench: Bench, say: Say) -> bool:
    """Return whether the self-test passes. A failure on a busy machine is retried."""
    for attempt in range(1, SELFTEST_ATTEMPTS + 1):
        say(f"Testing this machine first: self-test {attempt} of at most {SELFTEST_ATTEMPTS}")
        passed, detail = bench.run_selftest()
        if passed:
            return True
        say(f"The self-test failed. {detail}")
    say("Nothing is verified here; the requested verifications stay queued for a worker.")
    return False


def machine_bench() -> Bench:
    return EngineBench(settings.DATA_DIR, settings.BUILD_JOBS)


def work_through(ids: list[uuid.UUID], bench: Bench, say: Say) -> None:
    """Verify in threads; this thread alone uses the database, renews leases, and claims a row when a lane is free."""
    mine = [row.pk for row in rows_of(ids) if row.wanted_device in bench.kinds and not row.requirement]
    source = assignments(mine)
    running: dict[Future[Any], Assignment] = {}
    done = 0
    with ThreadPoolExecutor(bench.lanes) as pool, returning(running):
        while True:
            for assignment in take(source, bench.lanes - len(running)):
                running[pool.submit(verified, bench, assignment)] = assignment
            if not running:
                return
            for future in finished(running):
                assignment = running.pop(future)
                record_report(assignment.verification, assignment.attempt, future.result())
                done += 1
                row = rows_of([uuid.UUID(assignment.verification)])[0]
                say(f"[{done}/{len(mine)}] {line(row)}")
            renew(running.values())


@contextmanager
def returning(running: dict[Future[Any], Assignment]) -> Iterator[None]:
    """Give back the running rows if this process ends early, for example on Ctrl-C."""
    try:
        yield
    finally:
        for assignment in running.values():
            assignment.cancelled.set()
            dispatch.give_back(assignment.verification, assignment.attempt)


def take(source: Iterator[Assignment], count: int) -> list[Assignment]:
    return [assignment for _, assignment in zip(range(count), source, strict=False)]


def finished(running: dict[Future[Any], Assignment]) -> list[Future[Any]]:
    """Wait briefly and return the futures that are done."""
    try:
        next(as_completed(running, timeout=POLL_SECONDS))
    except TimeoutError:
        return []
    return [future for future in running if future.done()]


def assignments(ids: list[uuid.UUID]) -> Iterator[Assignment]:
    """Claim one queued row after the other, when a lane has room for it."""
    for pk in ids:
        ours = Verification.runs.waiting().filter(pk=pk)
        if not ours.update(
            state=JobState.RUNNING, lease_until=lease_end(), started_at=timezone.now(), worker=WORKER
        ):
            continue  # finished, cancelled, or a worker has it
        row = Verification.runs.with_subject().get(pk=pk)
        drop_messages(row.pk, row.attempt)
        try:
            yield Assignment.read(message(row))
        except ContractError as error:
            dispatch.refuse(row, f"The engine cannot take this sample: {error}")


def verified(bench: Bench, assignment: Assignment) -> dict[str, Any]:
    """Return the bench's report, else one of its failure."""
    try:
        return bench.verify(assignment) or failure(assignment, "It was cancelled.")
    except Exception as error:  # a failure of this process is reported like any other
        return failure(assignment, repr(error))


def renew(running: Iterable[Assignment]) -> None:
    leases.renew(WORKER, [assignment.progress() for assignment in running])
