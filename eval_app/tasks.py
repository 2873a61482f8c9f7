"""What site workers run for the verify stage. What hosts send comes in by messages.inbox, never by a task."""

from celery import shared_task

from eval_app.queue import dispatch


@shared_task(name="eval_app.fill_queues")
def fill_queues() -> None:
    """Send what there is room for."""
    dispatch.fill_all()
