"""What site workers run for the verify stage: ids in, one call. The workers' own words come in here too."""

from typing import Any

from celery import shared_task

from eval_app import broker, dispatch, leases
from eval_app.record import record_report


@shared_task(name="eval_app.fill_queues")
def fill_queues() -> None:
    """Send what there is room for."""
    dispatch.fill_all()


@shared_task(name=broker.HEARTBEAT_TASK)
def heartbeat(worker: str, running: list[dict[str, Any]]) -> None:
    """A worker is alive and has these rows."""
    leases.renew(worker, running)


@shared_task(name=broker.ANNOUNCE_TASK)
def announce(worker: str, facts: dict[str, Any]) -> None:
    """A worker says what it is and how it is."""
    leases.announce(worker, facts)


@shared_task(name=broker.RECORD_TASK)
def record(verification: str, attempt: int, report: Any) -> None:
    """A worker has finished a row, and there is room for the next ones."""
    record_report(verification, attempt, report)
    dispatch.fill_all()


@shared_task(name=broker.GIVE_BACK_TASK)
def give_back(verification: str, attempt: int) -> None:
    """A worker that stops hands a row on."""
    leases.give_back(verification, attempt)
