"""Waits until a site that was just started and filled has nothing of its own left to do."""

import os
import time
from pathlib import Path

from benchmarks._server import children

MOST_SECONDS = 3600.0
POLL_SECONDS, TELL_SECONDS = 2.0, 60.0


def settle(pid: int) -> int:
    """Wait for the worker's self-test and for the jobs that follow an ingest, as the index of similar kernels: both
    are no part of what is measured. Return the number of jobs that are still at work after an hour."""
    wait_for_self_test(pid)
    left = wait_for_jobs(pid)
    time.sleep(3)
    return left


def wait_for_self_test(pid: int, most_seconds: float = 120) -> None:
    """Wait for the self-test, which runs once per start."""
    log, deadline = Path(os.environ["CONCUR_DATA_DIR"], "logs", "worker.log"), time.monotonic() + most_seconds
    while time.monotonic() < deadline and children(pid):
        if log.exists() and "self-test passed" in log.read_text():  # the file begins with the first line
            break
        time.sleep(1)


def wait_for_jobs(pid: int, most_seconds: float = MOST_SECONDS) -> int:
    from django.db import connections

    from eval_app.operations.jobs import counts

    began = told = time.monotonic()
    while left := sum(kind.queued + kind.running for kind in counts()):
        now = time.monotonic()
        if now - began > most_seconds or not children(pid):
            break
        if now - told > TELL_SECONDS:
            told = now
            print(f"{now - began:5.0f} s  {left} background jobs at work", flush=True)
        time.sleep(POLL_SECONDS)
    connections.close_all()
    return left
