"""The site's worker: Celery on the site's queue, with the sweeper's timer beside it, in one process."""

import logging
import os
import threading
import time
from typing import Any

from celery import current_app, signals
from django.conf import settings
from django.db import close_old_connections, connections

from datasets_app import jobs
from eval_app.broker import SITE_QUEUE, run_worker
from eval_app.sweep import sweep

log = logging.getLogger(__name__)
CONCURRENCY = 4
STOP_WITHIN_SECONDS = 5.0


class Sweeper(threading.Thread):
    """Sweeps every SWEEP_SECONDS until it is told to end."""

    def __init__(self) -> None:
        super().__init__(name="sweeper", daemon=True)
        self.ended = threading.Event()

    def run(self) -> None:
        # Workers that live have renewed their leases by then, although this site slept.
        pause = settings.LEASE_SECONDS / 2
        while not self.ended.wait(pause):
            self.sweep_safely()
            pause = settings.SWEEP_SECONDS
        connections.close_all()

    def sweep_safely(self) -> None:
        """One sweep. A database that is away for a while must not end the sweeper."""
        close_old_connections()
        try:
            sweep()
        except Exception:
            log.exception("This sweep failed; the next one is in %d s", settings.SWEEP_SECONDS)


def run() -> None:
    """Until SIGTERM or SIGINT; running tasks get some seconds, then their rows are handed back."""
    sweeper = Sweeper()

    def started(**_: Any) -> None:
        log.info(
            "Taking work from %s, %d at once; sweeping every %d s",
            SITE_QUEUE,
            CONCURRENCY,
            settings.SWEEP_SECONDS,
        )
        sweeper.start()

    def stopping(**_: Any) -> None:
        sweeper.ended.set()
        threading.Thread(target=end_in_time, name="stopper", daemon=True).start()

    signals.worker_ready.connect(started, weak=False)
    signals.worker_shutting_down.connect(stopping, weak=False)
    signals.setup_logging.connect(lambda **_: None, weak=False)
    run_worker(current_app, f"site@{os.uname().nodename}-{os.getpid()}", [SITE_QUEUE], CONCURRENCY)


def end_in_time() -> None:
    """A long ingest does not hold the process: its row waits again and the next process goes on with it."""
    time.sleep(STOP_WITHIN_SECONDS)
    count = jobs.give_back_held()
    log.info("Stopped with %d jobs given back", count)
    os._exit(0)
