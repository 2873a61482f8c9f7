"""Runs the work of a claimed row and writes down how it ended."""

import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from django.conf import settings

from datasets_app.disk_space import is_out_of_space
from datasets_app.jobs import job_row
from datasets_app.models import Job

logger = logging.getLogger(__name__)


def run_claimed(row: Job | None, work: Callable[[Any], None], expected: tuple[type[Exception], ...]) -> None:
    """Do the work of a claimed row, if any. `work` finishes the row itself.

    An expected error fails the row with its message; any other fails it as well and is raised. If a disk is full, the
    row is queued again. A row that was cancelled or given to another worker meanwhile is left as it is.
    """
    if row is None:
        return
    try:
        work(row)
    except job_row.LeaseLostError as error:
        logger.warning("%s", error)
    except Exception as error:
        if is_out_of_space(error):
            job_row.wait_for_room(row, error)
            return
        with suppress(job_row.LeaseLostError):
            job_row.fail(row, message(error, expected))
        if not isinstance(error, expected):
            raise


def message(error: Exception, expected: tuple[type[Exception], ...]) -> str:
    """Return what the row says of the error."""
    if isinstance(error, MemoryError):
        megabytes = settings.JOB_MEMORY_BYTES // 2**20
        return (
            f"The job needed more than {megabytes:,} MB of memory, the limit of a job (CONCUR_JOB_MEMORY_MB)."
        )
    if isinstance(error, expected):
        return str(error)
    return f"Something went wrong on our side ({error!r}). The worker's log has the details."
