"""The site's worker: Celery on the site's queue for short messages, the hosts' inbox, sweeper and job runner."""

import logging
import os
import threading
import time
from typing import Any

from celery import current_app, signals
from django.conf import settings
from django.db import close_old_connections, connections

from datasets_app.counters import files as counters
from datasets_app.export import package
from datasets_app.export.files import delete_left
from datasets_app.jobs import job_row
from datasets_app.processes.runner import JobRunner
from datasets_app.processes.stall_guard import StallGuard
from eval_app.broker.celery_app import SITE_QUEUE, run_worker
from eval_app.operations.alerts.watch import Watch
from eval_app.site_worker.host_contact import HostContact
from eval_app.site_worker.inbox import Inbox
from eval_app.site_worker.sweeper import sweep

log = logging.getLogger(__name__)
CONCURRENCY = 4
STOP_WITHIN_SECONDS = 5.0
TIDY_SECONDS = 3600.0  # a walk through all exports takes longer than a sweep
STALL_SECONDS = 120.0  # without running any Python code; the process's jobs are requeued


class Sweeper(threading.Thread):
    """Sweeps every SWEEP_SECONDS until it is ended."""

    def __init__(self) -> None:
        super().__init__(name="sweeper", daemon=True)
        self.ended = threading.Event()
        self.host_contact = HostContact()
        self.alerts = Watch()
        self.tidied_at = float("-inf")

    def run(self) -> None:
        pause = settings.LEASE_SECONDS / 2
        while not self.ended.wait(pause):
            # After a failed sweep wait as at the start: the site could not read the workers' messages either.
            pause = settings.SWEEP_SECONDS if self.sweep_safely() else settings.LEASE_SECONDS / 2
        connections.close_all()

    def sweep_safely(self) -> bool:
        """Sweep once; return whether that worked. An unavailable database or a full disk must not end the sweeper."""
        close_old_connections()
        try:
            sweep(leases_too=self.host_contact.steady())
            self.tidy()
        except Exception:
            log.exception("This sweep failed; the next one is in %d s", settings.LEASE_SECONDS / 2)
            return False
        finally:
            self.alerts.tick()
        return True

    def tidy(self) -> None:
        """Delete, if it is time to, what killed writers left among the exports, and write what they did not get to."""
        if time.monotonic() - self.tidied_at >= TIDY_SECONDS:
            self.tidied_at = time.monotonic()
            delete_left(settings.EXPORT_DIR)
            package.refresh_left_behind()


def run() -> None:
    """Run until SIGTERM or SIGINT. Jobs give their rows back at once; short messages get some seconds to finish."""
    counters.share("sweeper")
    sweeper, inbox, runner = Sweeper(), Inbox(), JobRunner()
    runner.start()

    def started(**_: Any) -> None:
        log.info(
            "Taking work from %s, %d at once; sweeping every %d s",
            SITE_QUEUE,
            CONCURRENCY,
            settings.SWEEP_SECONDS,
        )
        sweeper.start()
        inbox.start()

    def stopping(**_: Any) -> None:
        sweeper.ended.set()
        inbox.ended.set()
        threading.Thread(target=runner.stop, name="stop jobs", daemon=True).start()
        threading.Thread(target=end_in_time, name="stopper", daemon=True).start()

    signals.worker_ready.connect(started, weak=False)
    signals.worker_shutting_down.connect(stopping, weak=False)
    signals.setup_logging.connect(lambda **_: None, weak=False)
    StallGuard(STALL_SECONDS).start()
    run_worker(current_app, f"site@{os.uname().nodename}-{os.getpid()}", [SITE_QUEUE], CONCURRENCY)
    if inbox.is_alive():  # the message that it has popped is nowhere else
        inbox.join(STOP_WITHIN_SECONDS)
    runner.stop()


def end_in_time() -> None:
    """Exit after some seconds. A long ingest is requeued, and the next process continues it."""
    time.sleep(STOP_WITHIN_SECONDS)
    try:
        log.info("Stopped with %d jobs given back", job_row.give_back_held())
    except Exception:
        log.exception("Stopped; this process's jobs are requeued when their leases expire")
    finally:
        os._exit(0)
