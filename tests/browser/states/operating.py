"""A host with a worker, an alert that is raised and one that was cleared, for the operations page."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from datasets_app.models import BulkAction
from eval_app.models import Host
from eval_app.operations.alerts import store
from eval_app.operations.alerts.rules import Fault
from eval_app.site_worker import announcements

FULL = Fault("data", "The disk of the data folder /srv/concur has 1.9 GB left.")
SILENT = Fault("gpu-9", "Host gpu-9 has been silent for 12 minutes.")
LOST = "The worker stopped answering in each of 3 attempts; its log says why. <b>not bold</b>"


def operate(host: Host, facts: dict[str, Any]) -> None:
    now = timezone.now()
    unhealthy = {**facts, "state": "unhealthy", "health_detail": "a known-bad kernel passed"}
    announcements.announce(host.name, unhealthy, host)
    Host.objects.filter(pk=host.pk).update(seen_at=now)
    store.raise_alert("disk_nearly_full", FULL, now)
    store.raise_alert("host_away", SILENT, now - timedelta(hours=2))
    store.settle({"host_away": []}, now)
    BulkAction.objects.create(action="tag", state="failed", error=LOST, finished_at=now)
