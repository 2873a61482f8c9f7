"""Background work on the site's own queue: ids in, the stage's function, nothing else.

A message starts the job in a process of its own where a runner is at work (see datasets_app.processes), so that the
site's worker stays free for short messages.
"""

from typing import Any

from celery import shared_task

from datasets_app import ingest
from datasets_app.bulk import run as bulk
from datasets_app.curate import freeze
from datasets_app.export.write import run_export
from datasets_app.ingest.start import wake
from datasets_app.jobs import job_row
from datasets_app.maintenance import runs
from datasets_app.models import BulkAction, Export, Ingest, Release, Upkeep
from datasets_app.processes.kinds import Kind, register
from datasets_app.processes.runner import submit


@shared_task(name="ingest.run")
def run_ingest(ingest_id: str) -> None:
    """Do one waiting ingest, then wake what waited for it."""
    submit("ingest", ingest_id)


@shared_task(name="ingest.sweep")
def sweep_ingests() -> None:
    """Hand on what dead workers held, and wake what a flushed broker forgot."""
    ingest.sweep()


@shared_task(name=freeze.TASK)
def freeze_release(release_id: str) -> None:
    """Write the rows of a queued release."""
    submit("freeze", release_id)


@shared_task(name="datasets_app.write_export")
def write_export(export_id: str) -> None:
    """Write one file of a release."""
    submit("export", export_id)


@shared_task(name=bulk.TASK)
def run_bulk(bulk_id: str) -> None:
    """Go through the samples of a bulk action."""
    submit("bulk", bulk_id)


@shared_task(name=runs.TASK)
def run_upkeep(upkeep_id: str) -> None:
    """Bring what is derived from the rows up to date."""
    submit("upkeep", upkeep_id)


def do_ingest(pk: Any) -> None:
    done = ingest.run(pk)
    if done is None:
        ingest.wake_group(pk)
    else:
        ingest.wake_next(done)


register(Kind("ingest", Ingest, do_ingest, slots=2))
register(Kind("freeze", Release, freeze.run_freeze))
register(Kind("export", Export, run_export, slots=2))
register(Kind("bulk", BulkAction, bulk.run_bulk, slots=2, niceness=0))
register(Kind("upkeep", Upkeep, runs.run, slots=2, niceness=15))  # at most one of a kind runs


def wake_ingest(pk: Any) -> None:
    """An ingest that stands behind another is woken when that one ends, not before."""
    wake(Ingest.objects.select_related("after").get(pk=pk))


job_row.RESENDERS |= {
    Ingest: wake_ingest,
    Release: lambda pk: freeze_release.delay(str(pk)),
    Export: lambda pk: write_export.delay(str(pk)),
    BulkAction: lambda pk: run_bulk.delay(str(pk)),
    Upkeep: lambda pk: run_upkeep.delay(str(pk)),
}
