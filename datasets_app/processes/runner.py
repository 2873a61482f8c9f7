"""Runs background jobs in child processes, a few per kind, and ends those whose row was taken away."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from multiprocessing.connection import wait
from typing import Any

from django.db import close_old_connections, connections

from datasets_app.jobs import job_row
from datasets_app.log_context.context import on_job
from datasets_app.models import Job, JobState
from datasets_app.processes.child import context, ended
from datasets_app.processes.job import run_job
from datasets_app.processes.kinds import KINDS

log = logging.getLogger(__name__)
LOOK_SECONDS = 1.0
GRACE_SECONDS = 5.0  # for a cancelled, lost or stopped job to end by itself
STOP_SECONDS = 3.0

_active: JobRunner | None = None


def submit(kind: str, pk: str) -> None:
    """Run the job in a child process if this process has a runner, otherwise in this process at once."""
    if _active is None:
        KINDS[kind].run(pk)
    else:
        _active.submit(kind, pk)


class JobRunner:
    """Queued jobs per kind, and one thread per running child.

    The rows are authoritative: the sweeper sends the message of a lost job again.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.waiting: dict[str, dict[str, None]] = {}
        self.running: set[tuple[str, str]] = set()
        self.asked_again: set[tuple[str, str]] = set()  # while they were running
        self.threads: dict[str, list[threading.Thread]] = {}
        self.stopping = threading.Event()

    def start(self) -> None:
        """Accept the jobs of `submit` from now on."""
        global _active
        _active = self

    def submit(self, kind: str, pk: str) -> None:
        with self.lock:
            if self.stopping.is_set():
                return
            if (kind, pk) in self.running:
                self.asked_again.add((kind, pk))
                return
            self.waiting.setdefault(kind, {})[pk] = None
            alive = [thread for thread in self.threads.get(kind, []) if thread.is_alive()]
            if len(alive) < KINDS[kind].slots:
                alive.append(
                    threading.Thread(target=self.work_off, args=(kind,), name=f"{kind} jobs", daemon=True)
                )
                alive[-1].start()
            self.threads[kind] = alive

    def stop(self) -> None:
        """Make all children return their jobs, and wait until they have ended."""
        global _active
        self.stopping.set()
        deadline = time.monotonic() + STOP_SECONDS
        for thread in [thread for threads in self.threads.values() for thread in threads]:
            thread.join(max(0.0, deadline - time.monotonic()))
        _active = None

    def work_off(self, kind: str) -> None:
        """Run one row after another, until none of this kind is queued."""
        while (pk := self.next(kind)) is not None:
            try:
                with on_job(f"{kind}:{pk}"):
                    self.run_one(kind, pk)
            except Exception:
                log.exception("The %s job %s could not be run here; it is sent again later", kind, pk)
            finally:
                self.ended(kind, pk)
        connections.close_all()

    def ended(self, kind: str, pk: str) -> None:
        """Queue a job that was submitted again while it ran; its row says whether it is queued."""
        with self.lock:
            self.running.discard((kind, pk))
            if (kind, pk) in self.asked_again:
                self.asked_again.discard((kind, pk))
                self.waiting[kind][pk] = None

    def next(self, kind: str) -> str | None:
        with self.lock:
            if self.stopping.is_set() or not self.waiting[kind]:
                self.threads[kind].remove(threading.current_thread())
                return None
            pk = next(iter(self.waiting[kind]))
            del self.waiting[kind][pk]
            self.running.add((kind, pk))
            return pk

    def run_one(self, kind: str, pk: str) -> None:
        child = context().Process(target=run_job, args=(kind, pk))
        with self.lock:  # starting also reaps other children, which must not be reaped twice
            child.start()
        watch = Watch(KINDS[kind].model, pk, child, self.stopping)
        watch.until_it_ends()
        with self.lock:
            child.join()
        was_taken_away = watch.unwanted_since and not self.stopping.is_set()
        if not was_taken_away:  # another worker may have the row by now
            self.after(kind, pk, child.exitcode)

    def after(self, kind: str, pk: str, exitcode: int | None) -> None:
        """Requeue or fail the row of a child that died while its row was running."""
        if exitcode == 0:
            return
        close_old_connections()
        row = KINDS[kind].model._default_manager.filter(pk=pk).first()
        if row is None:
            return
        log.warning("The %s job %s: %s", kind, pk, ended(exitcode))
        if job_row.lost(row, f"{ended(exitcode)}.", counts=not self.stopping.is_set()):
            with self.lock:
                self.asked_again.add((kind, pk))


class Watch:
    """Follows a child until it has ended, and ends it if its row was cancelled, lost or deleted."""

    def __init__(self, model: type[Job], pk: str, child: Any, stopping: threading.Event) -> None:
        self.model, self.pk, self.child, self.stopping = model, pk, child, stopping
        self.was_running = False
        self.unwanted_since = 0.0

    def until_it_ends(self) -> None:
        while not wait([self.child.sentinel], timeout=0.1 if self.stopping.is_set() else LOOK_SECONDS):
            if self.is_wanted():
                self.unwanted_since = 0.0
            elif not self.unwanted_since:
                self.unwanted_since = time.monotonic()
                if self.stopping.is_set():
                    self.signal(signal.SIGTERM)
            elif time.monotonic() - self.unwanted_since > self.grace():
                self.signal(signal.SIGKILL)

    def is_wanted(self) -> bool:
        """Return whether the row is queued, running or done. One that ran and is queued or failed was taken away.

        A child that has finished its row may write what follows from it, such as a release's card, and ends by itself.
        """
        if self.stopping.is_set():
            return False
        close_old_connections()
        state = self.model._default_manager.filter(pk=self.pk).values_list("state", flat=True).first()
        self.was_running = self.was_running or state == JobState.RUNNING
        return state in (JobState.RUNNING, JobState.DONE) or (
            state == JobState.QUEUED and not self.was_running
        )

    def grace(self) -> float:
        return STOP_SECONDS - 1 if self.stopping.is_set() else GRACE_SECONDS

    def signal(self, number: int) -> None:
        try:
            os.kill(self.child.pid, number)
        except ProcessLookupError:
            return
