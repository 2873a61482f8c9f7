"""Verifications that a command waits for: followed where workers run, else done in the command's own process."""

import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.utils import timezone

from datasets_app.jobs.job_row import lease_end
from datasets_app.models import JobState, Verification
from eval_app.host.assignment import Assignment
from eval_app.host.assignment_runner import Bench, failure
from eval_app.pages.workers import Fleet
from eval_app.queue import dispatch, leases
from eval_app.request.verify import ContractError, chunks
from eval_app.results.record import record_report

Say = Callable[[str], None]
POLL_SECONDS = 1.0
PROOFS = 3
WORKER = "the verify command"


def rows_of(ids: Iterable[uuid.UUID]) -> list[Verification]:
    return [row for part in chunks(ids, 500) for row in Verification.objects.for_list().filter(pk__in=part)]


# --- Others do the work -----------------------------------------------------------------------------------------


def follow(ids: list[uuid.UUID], say: Say) -> None:
    """Say what finishes, until all have or those that are left wait for a device that no worker has."""
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
    """Whether all of these wait for workers that are not there."""
    fleet = Fleet.read()
    return all(
        row.state == JobState.QUEUED and not fleet.will_take(row.wanted_device) for row in rows_of(ids)
    )


def line(row: Verification) -> str:
    speedup = f" {row.speedup:.2f}x" if row.speedup else ""
    return f"{row.sample.task.name} {row.sample_id} {row.status}{speedup} {row.detail.partition(chr(10))[0][:120]}"


# --- This process does the work ---------------------------------------------------------------------------------


def run(ids: list[uuid.UUID], say: Say, bench: Bench | None = None) -> None:
    """Verify what this machine can, with the worker's own bench, and record it. The rest goes on waiting."""
    bench = bench or machine_bench()
    try:
        if proven(bench, say):
            work_through(ids, bench, say)
    finally:
        bench.close()
        dispatch.send_after_commit([row.pk for row in rows_of(ids) if row.state == JobState.QUEUED])


def proven(bench: Bench, say: Say) -> bool:
    """Whether the self-test passes; a machine that was busy with something else gets another chance or two."""
    for attempt in range(1, PROOFS + 1):
        say(f"Proving this machine first: self-test {attempt} of at most {PROOFS}")
        passed, detail = bench.run_selftest()
        if passed:
            return True
        say(f"The self-test failed. {detail}")
    say("Nothing is verified here; what was asked for waits for a worker.")
    return False


def machine_bench() -> Bench:
    from eval_app.host.bench import EngineBench

    return EngineBench(settings.DATA_DIR, settings.BUILD_JOBS)


def work_through(ids: list[uuid.UUID], bench: Bench, say: Say) -> None:
    """Threads verify; this one reads and writes rows, renews leases, and takes a new row when one is done."""
    mine = [row.pk for row in rows_of(ids) if row.wanted_device in bench.kinds]
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
    """Whatever ends this process early, such as Ctrl-C: what runs is cancelled and waits again."""
    try:
        yield
    finally:
        for assignment in running.values():
            assignment.cancelled.set()
            leases.give_back(assignment.verification, assignment.attempt)


def take(source: Iterator[Assignment], count: int) -> list[Assignment]:
    return [assignment for _, assignment in zip(range(count), source, strict=False)]


def finished(running: dict[Future[Any], Assignment]) -> list[Future[Any]]:
    """What is done after a moment's wait."""
    try:
        next(as_completed(running, timeout=POLL_SECONDS))
    except TimeoutError:
        return []
    return [future for future in running if future.done()]


def assignments(ids: list[uuid.UUID]) -> Iterator[Assignment]:
    """Claim one waiting row after the other, when a lane has room for it."""
    for pk in ids:
        ours = Verification.objects.waiting().filter(pk=pk)
        if not ours.update(
            state=JobState.RUNNING, lease_until=lease_end(), started_at=timezone.now(), worker=WORKER
        ):
            continue  # finished, cancelled, or a worker has it
        row = Verification.objects.select_related("sample__body", "sample__task__body").get(pk=pk)
        dispatch.forget(row.pk, row.attempt)
        try:
            yield Assignment.read(dispatch.message(row))
        except ContractError as error:
            dispatch.refuse(row, f"The engine cannot take this sample: {error}")


def verified(bench: Bench, assignment: Assignment) -> dict[str, Any]:
    """A report in any case: what the bench says, or that it failed."""
    try:
        return bench.verify(assignment) or failure(assignment, "It was cancelled.")
    except Exception as error:  # a fault of ours is a report too
        return failure(assignment, repr(error))


def renew(running: Iterable[Assignment]) -> None:
    leases.renew(WORKER, [assignment.progress() for assignment in running])
