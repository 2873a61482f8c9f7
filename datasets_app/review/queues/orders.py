"""The order in which samples enter a queue. Within equals, the oldest sample comes first, then the smaller id."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from datasets_app.models import DECIDING, Evidence, Finding, QueueFacet, QueueOrder, ReviewQueue
from datasets_app.models.sample import SampleQuerySet

FACET_COLUMNS = {
    QueueFacet.LANGUAGE: "language",
    QueueFacet.KIND: "task__kind",
    QueueFacet.GENERATOR: "generator",
    QueueFacet.SOURCE: "source__name",
    QueueFacet.SUITE: "task__suite",
    QueueFacet.OUTCOME: "outcome",
}


class Candidate(NamedTuple):
    """What the orders need to know of a sample."""

    pk: UUID
    created_at: datetime
    claimed_speedup: float | None
    outcome: str
    votes: int
    agreement: float | None
    value: str  # of the queue's facet

    @property
    def dissent(self) -> float:
        """Return the number of votes that do not agree with the verdict."""
        return self.votes * (1 - self.agreement) if self.agreement is not None else 0.0


Key = Callable[[Candidate], Any]


def in_order(queue: ReviewQueue, samples: SampleQuerySet, most: int) -> list[UUID]:
    """Return the ids of at most `most` of these samples, in the queue's order."""
    value = FACET_COLUMNS.get(QueueFacet(queue.facet)) if queue.facet else None
    columns = [*Candidate._fields[:-1], value or "language"]
    rows = [Candidate(*values) for values in samples.order_by().values_list(*columns)]
    rows.sort(key=lambda row: (row.created_at, row.pk))
    if queue.order == QueueOrder.STRATIFIED:
        rows = in_rotation(rows)
    elif key := key_of(queue):
        rows.sort(key=key)
    return [row.pk for row in rows[:most]]


def key_of(queue: ReviewQueue) -> Key | None:
    """Return the sort key of the queue's order; None if that is the age."""
    if queue.order == QueueOrder.RANDOM:
        return lambda row: hashlib.sha256(f"{queue.seed}:{row.pk}".encode()).digest()
    if queue.order == QueueOrder.CLAIM:
        return lambda row: -(row.claimed_speedup or 0.0)
    if queue.order == QueueOrder.DISAGREEMENT:
        return lambda row: -row.dissent
    return by_uncertainty() if queue.order == QueueOrder.UNCERTAIN else None


def by_uncertainty() -> Key:
    """Return a key by what is unsure: a point each for votes that do not agree with the verdict, no deciding outcome,
    runs that disagree, and a finding to audit. More points come first.
    """
    headlines = Evidence.objects.headline().order_by()
    disagreeing = set(headlines.filter(runs_disagree=True).values_list("sample", flat=True))
    audits = Finding.objects.filter(severity="audit").order_by().values("verification")
    audited = set(headlines.filter(verification__in=audits).values_list("sample", flat=True))

    def points(row: Candidate) -> int:
        unsure = (row.dissent > 0, row.outcome not in DECIDING, row.pk in disagreeing, row.pk in audited)
        return -sum(unsure)

    return points


def in_rotation(rows: list[Candidate]) -> list[Candidate]:
    """Return one sample of each value of the facet, by name, then a second of each, and so on."""
    rounds: dict[str, int] = defaultdict(int)
    placed: list[tuple[int, str, int, Candidate]] = []
    for row in rows:
        placed.append((rounds[row.value], row.value, len(placed), row))
        rounds[row.value] += 1
    return [row for *_, row in sorted(placed)]
