"""What list rows show of verifications that the sample's own row does not hold: what waits, and the interval."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from datasets_app.models import Sample

UNFINISHED = ("queued", "running")


def verifications() -> Any:
    """All verifications. The model is eval_app's, known here by its relation's name: imports run the other way."""
    return Sample._meta.get_field("verifications").related_model._default_manager


@dataclass
class RowEvidence:
    waiting: str = ""  # queued or running
    speedup_low: float | None = None
    speedup_high: float | None = None


def of_samples(ids: Iterable[Any]) -> dict[Any, RowEvidence]:
    """Sample id to what its verifications add; one query."""
    found: dict[Any, RowEvidence] = {}
    rows = verifications().filter(sample__in=list(ids)).order_by("created_at", "id")
    columns = ("sample", "state", "outcome", "speedup_low", "speedup_high")
    for sample, state, outcome, low, high in rows.values_list(*columns):
        evidence = found.setdefault(sample, RowEvidence())
        if state in UNFINISHED:
            evidence.waiting = state
        elif state == "done" and outcome != "infra_error":  # a fault of ours hides no evidence
            evidence.speedup_low, evidence.speedup_high = low, high
    return found
