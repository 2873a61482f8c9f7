"""Drops undo data. An action can be undone until the same person's next one: ending that is one UPDATE, and the rows
are deleted in the background.
"""

from __future__ import annotations

from typing import Any

from datasets_app.models import BulkAction, BulkChange, JobState

UNFINISHED = (JobState.QUEUED, JobState.RUNNING)
AT_ONCE = 1000  # rows per statement and transaction, so that others can write in between
MOST_ROUNDS = 20


def end_undo_of(user: Any) -> None:
    """Mark the undo data of this person's finished actions as no longer needed."""
    BulkAction.objects.filter(actor=user, undo_ended=False).exclude(state__in=UNFINISHED).update(
        undo_ended=True
    )


def forget_changes(most_rounds: int = MOST_ROUNDS) -> int:
    """Delete undo data that is no longer needed, a part at a time; called by the sweeper. Return how many rows.

    Data of an undo in progress is kept until that is finished.
    """
    ended = BulkAction.objects.filter(undo_ended=True).exclude(undone_by__state__in=UNFINISHED)
    gone = 0
    for _ in range(most_rounds):
        ids = list(
            BulkChange.objects.filter(bulk__in=ended.values("pk")).values_list("pk", flat=True)[:AT_ONCE]
        )
        if not ids:
            break
        gone += BulkChange.objects.filter(pk__in=ids).delete()[0]
    return gone
