"""The present state on the verify page, with a fixed number of queries however many rows are queued."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Count, Min, Q

from datasets_app.broker import is_answering
from datasets_app.models import Verification, WantedDevice
from eval_app.models import Host
from eval_app.pages import charts
from eval_app.results.versions import ENGINE_VERSION
from eval_app.workers.fleet import Fleet

RUNNING_SHOWN = 20
BATCHES_SHOWN = 5
REFUSED_LATELY = timedelta(hours=1)


@dataclass(frozen=True)
class Waiting:
    """The number of rows queued for one kind of device, and why no worker takes them; empty if one does."""

    device: str
    label: str
    count: int
    reason: str


@dataclass(frozen=True)
class Batch:
    """Verifications that were requested together and are not all finished."""

    id: UUID
    asked_at: datetime
    total: int
    finished: int
    passed: int


def waiting(fleet: Fleet) -> list[Waiting]:
    counts = Verification.objects.waiting_counts()
    return [
        Waiting(kind.value, kind.label, counts[kind.value], fleet.waits_for(kind.value))
        for kind in WantedDevice
        if kind.value in counts
    ]


def batches() -> list[Batch]:
    unfinished = Verification.objects.unfinished().exclude(batch=None).values("batch")
    rows = (
        Verification.objects.filter(batch__in=unfinished)
        .order_by()
        .values("batch")
        .annotate(
            asked_at=Min("created_at"),
            total=Count("pk"),
            finished=Count("pk", filter=Q(state__in=["done", "failed"])),
            passed=Count("pk", filter=Q(outcome="passed")),
        )
        .order_by("-asked_at")
    )
    names = ("batch", "asked_at", "total", "finished", "passed")
    return [Batch(*values) for values in rows.values_list(*names)[:BATCHES_SHOWN]]


def overview() -> dict[str, Any]:
    """Return the page's live part: workers, running rows, queued rows, batches, and finished rows by outcome."""
    fleet = Fleet.read()
    running = Verification.objects.running().for_list().order_by("started_at")
    counts = Verification.objects.outcome_counts()
    return {
        "fleet": fleet,
        "refused": list(Host.objects.exclude(refusal="").filter(refused_at__gte=fleet.now - REFUSED_LATELY)),
        "broker_answers": is_answering(),
        "running": list(running[:RUNNING_SHOWN]),
        "waiting": waiting(fleet),
        "batches": batches(),
        "outcomes": charts.outcome_bar(counts),
        "finished_count": sum(counts.values()),
        "checked_at": fleet.now,
        "engine_version": ENGINE_VERSION,
    }
