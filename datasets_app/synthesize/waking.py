"""Wakes the loops whose turn may be over: called when a synthesis ends and when a report is stored."""

from __future__ import annotations

from typing import Any

from datasets_app.jobs.enqueue import enqueue
from datasets_app.models import Loop, Synthesis
from datasets_app.models.ingest import IngestState

TASK = "synthesize.loop"


def wake_loop_of(synthesis_id: Any) -> None:
    """Queue the loop whose current turn this synthesis is, if it is due."""
    wake(current=synthesis_id)


def wake_loops_after(sample_id: Any) -> None:
    """Queue the loops that waited for the verification of this sample alone. One query.

    A message that is lost, or a verification that ended without a report, delays a loop until the sweeper's next turn.
    """
    wake(current__in=Synthesis.objects.filter(candidates__sample=sample_id).order_by().values("pk"))


def wake(**which: Any) -> None:
    due = Loop.objects.filter(Loop.due(), state=IngestState.QUEUED, **which).order_by()
    for pk in due.values_list("pk", flat=True):
        enqueue(TASK, pk)
