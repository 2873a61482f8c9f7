"""The present state on the verify page, with a fixed number of queries however many rows are queued."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from datasets_app.accounts.actor import Actor
from datasets_app.models import Verification, WantedDevice
from eval_app.models import Host
from eval_app.pages import charts
from eval_app.pages.batches import batches, under_way
from eval_app.results.versions import ENGINE_VERSION
from eval_app.workers.fleet import Fleet

RUNNING_SHOWN = 20
REFUSED_LATELY = timedelta(hours=1)


@dataclass(frozen=True)
class Waiting:
    """The number of rows queued for one route, and why no worker takes them; empty if one does."""

    device: str
    label: str
    requirement: str
    count: int
    reason: str


def waiting(fleet: Fleet) -> list[Waiting]:
    counts = Verification.objects.waiting_counts()
    return [
        Waiting(kind, WantedDevice(kind).label, requirement, count, fleet.waits_for(kind, requirement))
        for (kind, requirement), count in sorted(counts.items())
    ]


def overview(actor: Actor, chosen: UUID | None = None) -> dict[str, Any]:
    """Return what the page polls: workers, running rows, queued rows, batches, and finished rows by outcome.

    `chosen` is a batch that is shown above its verifications once it is finished; before, it is among those under way.
    """
    fleet = Fleet.read()
    running = Verification.objects.running().for_list().order_by("started_at")
    counts = Verification.objects.outcome_counts()
    unfinished = under_way()
    finished = [chosen] if chosen and chosen not in unfinished else []
    shown = batches([*unfinished, *finished], fleet, actor)
    return {
        "fleet": fleet,
        "refused": list(Host.objects.exclude(refusal="").filter(refused_at__gte=fleet.now - REFUSED_LATELY)),
        "running": list(running[:RUNNING_SHOWN]),
        "waiting": waiting(fleet),
        "batches": [batch for batch in shown if batch.id in unfinished],
        "chosen_batch": next((batch for batch in shown if batch.id in finished), None),
        "outcomes": charts.outcome_bar(counts),
        "finished_count": sum(counts.values()),
        "checked_at": fleet.now,
        "engine_version": ENGINE_VERSION,
    }
