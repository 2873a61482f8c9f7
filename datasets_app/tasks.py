"""What site workers run for this app: ids in, one call."""

from celery import shared_task

from datasets_app.curate import fingerprints, freeze
from datasets_app.export.write import run_export


@shared_task(name=freeze.TASK)
def freeze_release(release_id: str) -> None:
    """Write the rows of a queued release."""
    freeze.run_freeze(release_id)


@shared_task(name="datasets_app.write_export")
def write_export(export_id: str) -> None:
    """Write one file of a release."""
    run_export(export_id)


@shared_task(name=fingerprints.TASK)
def fill_fingerprints() -> None:
    """Make the fingerprints that newly ingested texts lack."""
    fingerprints.fill_kernels()
    fingerprints.fill_programs()
