"""Tasks of the verify stage for site workers. What hosts send arrives in site_worker.inbox, never as a task."""

from celery import shared_task

from eval_app.queue import dispatch


@shared_task(name=dispatch.FILL_TASK)
def fill_queues() -> None:
    """Send as many queued rows as the send window allows."""
    dispatch.fill_all()
