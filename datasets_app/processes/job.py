"""Runs one background job in a child process, within limits, and returns its row to the queue on SIGTERM."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from typing import Any

from django.conf import settings
from django.db import connections

from datasets_app.jobs import job_row
from datasets_app.log_context.context import on_job
from datasets_app.processes.kinds import KINDS, load
from datasets_app.processes.limits import confine

log = logging.getLogger(__name__)


def run_job(name: str, pk: str) -> None:
    """Run the job of one row. An error is stored in the row, logged with the job's id, and ends the process with 1."""
    load()  # if the fork server could not load them before
    kind = KINDS[name]
    confine(f"job {name}", settings.JOB_MEMORY_BYTES, kind.niceness)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, stop)
    with on_job(f"{name}:{pk}"):
        try:
            kind.run(pk)
        except Exception:
            log.exception("The job failed")
            sys.exit(1)
        finally:
            connections.close_all()


def stop(*_: Any) -> None:
    """Return the row from a thread with its own connection: the one here may be inside a transaction."""
    threading.Thread(target=hand_back, name="hand back", daemon=True).start()


def hand_back() -> None:
    job_row.give_back_held()
    os._exit(0)
