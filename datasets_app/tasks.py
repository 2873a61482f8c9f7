"""The tasks of the site's own queue: each takes the id of a row and starts that row's job.

Where a job runner is active (see datasets_app.processes), the job runs in a process of its own and the site's worker
stays free for short messages.
"""

from typing import Any

from celery import shared_task

from datasets_app import ingest
from datasets_app.bulk import run as bulk
from datasets_app.curate import freeze
from datasets_app.export import table_files
from datasets_app.export.write import run_export
from datasets_app.ingest import undo
from datasets_app.ingest.start import enqueue_if_first
from datasets_app.jobs import job_row
from datasets_app.maintenance import runs
from datasets_app.models import (
    BulkAction,
    Export,
    Ingest,
    IngestUndo,
    Loop,
    MaintenanceRun,
    Release,
    Synthesis,
    TableExport,
    WebhookDelivery,
)
from datasets_app.processes.kinds import Kind, register
from datasets_app.processes.runner import submit
from datasets_app.synthesize.run import TASK as SYNTHESIZE
from datasets_app.synthesize.run import run_synthesis
from datasets_app.synthesize.turns import run_loop
from datasets_app.synthesize.waking import TASK as TAKE_FURTHER
from datasets_app.webhooks import deliver, events


@shared_task(name="ingest.run")
def run_ingest(ingest_id: str) -> None:
    """Run a queued ingest, then enqueue those that waited for it."""
    submit("ingest", ingest_id)


@shared_task(name=undo.TASK)
def undo_ingest(run_id: str) -> None:
    """Withdraw the samples of an ingest, or bring them back."""
    submit("undo", run_id)


@shared_task(name=freeze.TASK)
def freeze_release(release_id: str) -> None:
    """Write the rows of a queued release."""
    submit("freeze", release_id)


@shared_task(name="datasets_app.write_export")
def write_export(export_id: str) -> None:
    """Write one file of a release."""
    submit("export", export_id)


@shared_task(name=table_files.TASK)
def write_table(export_id: str) -> None:
    """Write a file of a table's rows."""
    submit("table", export_id)


@shared_task(name=bulk.TASK)
def run_bulk(bulk_id: str) -> None:
    """Apply a bulk action to its samples."""
    submit("bulk", bulk_id)


@shared_task(name=runs.TASK)
def run_maintenance(maintenance_id: str) -> None:
    """Bring derived data up to date."""
    submit("maintenance", maintenance_id)


@shared_task(name=events.TASK)
def deliver_webhook(delivery_id: str) -> None:
    """Make the next attempt of a webhook's delivery."""
    submit("webhook", delivery_id)


@shared_task(name=SYNTHESIZE)
def synthesize(synthesis_id: str) -> None:
    """Ask a model for the candidates of a synthesis."""
    submit("synthesis", synthesis_id)


@shared_task(name=TAKE_FURTHER)
def take_loop_further(loop_id: str) -> None:
    """Start the next turn of a loop, or end it."""
    submit("loop", loop_id)


def do_ingest(pk: Any) -> None:
    done = ingest.run_ingest(pk)
    if done is None:
        ingest.enqueue_group(pk)
    else:
        ingest.enqueue_next(done)


register(Kind("ingest", Ingest, do_ingest, slots=2))
register(Kind("undo", IngestUndo, undo.run_undo, niceness=0))
register(Kind("freeze", Release, freeze.run_freeze))
register(Kind("export", Export, run_export, slots=2))
register(Kind("table", TableExport, table_files.run_table_export))
register(Kind("bulk", BulkAction, bulk.run_bulk, slots=2, niceness=0))
register(Kind("maintenance", MaintenanceRun, runs.run, slots=2, niceness=15))  # at most one of a kind runs
register(Kind("synthesis", Synthesis, run_synthesis, slots=2))  # waits for its endpoint
register(Kind("loop", Loop, run_loop))
register(Kind("webhook", WebhookDelivery, deliver.run, slots=4, niceness=0))  # an attempt waits for its host


def resend_ingest(pk: Any) -> None:
    """Send the message of an ingest again, unless it follows another one."""
    enqueue_if_first(Ingest.objects.select_related("after").get(pk=pk))


job_row.RESENDERS |= {
    Ingest: resend_ingest,
    IngestUndo: lambda pk: undo_ingest.delay(str(pk)),
    Release: lambda pk: freeze_release.delay(str(pk)),
    Export: lambda pk: write_export.delay(str(pk)),
    TableExport: lambda pk: write_table.delay(str(pk)),
    BulkAction: lambda pk: run_bulk.delay(str(pk)),
    MaintenanceRun: lambda pk: run_maintenance.delay(str(pk)),
    Synthesis: lambda pk: synthesize.delay(str(pk)),
    Loop: lambda pk: take_loop_further.delay(str(pk)),
    WebhookDelivery: lambda pk: deliver_webhook.delay(str(pk)),
}
