"""Announcements of workers: their state, devices and versions."""

from datetime import datetime
from typing import Any

from django.utils import timezone

from eval_app.attempts.leases import WORKER_LENGTH
from eval_app.models import Host, Worker
from eval_app.results.staleness import note_changes

ANNOUNCED = (
    "state",
    "devices",
    "queues",
    "versions",
    "sandbox",
    "healthy",
    "health_detail",
    "lanes",
    "busy",
    "hold",
)


def announce(name: str, facts: dict[str, Any], host: Host | None = None) -> Worker:
    """Store what a worker announced. A worker whose announcements stop counts as gone (see models.host.ALIVE).

    Raises ValueError, TypeError or DatabaseError's DataError where a fact cannot be stored.
    """
    fields = {key: value for key, value in facts.items() if key in ANNOUNCED}
    fields |= {"seen_at": timezone.now(), "host": host}
    if started := facts.get("started_at"):
        fields["started_at"] = datetime.fromisoformat(started)
    worker = Worker.objects.update_or_create(name=name[:WORKER_LENGTH], defaults=fields)[0]
    note_changes()
    return worker
