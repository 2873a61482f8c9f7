"""Background work on the site's own queue: ids in, the stage's function, nothing else."""

from celery import shared_task

from datasets_app import ingest


@shared_task(name="ingest.run")
def run_ingest(ingest_id: str) -> None:
    """Do one waiting ingest, then wake what waited for it."""
    done = ingest.run(ingest_id)
    if done is not None:
        ingest.wake_next(done)


@shared_task(name="ingest.sweep")
def sweep_ingests() -> None:
    """Hand on what dead workers held, and wake what a flushed broker forgot."""
    ingest.sweep()
