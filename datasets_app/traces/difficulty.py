"""Difficulty of a task by its average reasoning length (ARL), as ConCuR classes it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.db.models import Avg

from datasets_app.models import Sample
from datasets_app.models.honeypot import honeypot_ids

EASY_BELOW_TOKENS, HARD_ABOVE_TOKENS = 4_000, 8_500  # ConCuR's thresholds
CHUNK = 2000


def class_of(average_tokens: float) -> str:
    """Return ConCuR's class of difficulty of an average reasoning length."""
    if average_tokens < EASY_BELOW_TOKENS:
        return "easy"
    return "hard" if average_tokens > HARD_ABOVE_TOKENS else "middling"


def read_arls(tasks: Collection[Any] | None = None) -> dict[str, float]:
    """Return task id to the mean length of its traces in use, in tokens, of these tasks or of all; one query.

    Honeypots are in no data set, and do not count.
    """
    traced = Sample.objects.in_use().with_trace().filter(trace_tokens__isnull=False)
    if tasks is not None:
        traced = traced.filter(task__in=tasks)
    rows = (
        traced.exclude(pk__in=honeypot_ids()).order_by().values_list("task").annotate(arl=Avg("trace_tokens"))
    )
    return {str(task): float(arl) for task, arl in rows.iterator(chunk_size=CHUNK)}
