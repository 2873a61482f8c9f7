"""An undo is kept until the next action of the same person. Ending it is one UPDATE; its rows go in the background."""

from __future__ import annotations

from typing import Any

from datasets_app.models import BulkAction, BulkChange, JobState

UNFINISHED = (JobState.QUEUED, JobState.RUNNING)
AT_ONCE = 1000  # rows a statement, which is a transaction: others can write between
MOST_ROUNDS = 20


def end_undo_of(user: Any) -> None:
    """What this person's finished actions changed need not be known any longer."""
    BulkAction.objects.filter(actor=user, undo_ended=False).exclude(state__in=UNFINISHED).update(
        undo_ended=True
    )


def forget_changes(most_rounds: int = MOST_ROUNDS) -> int:
    """Delete what need not be known; the sweeper does, a part at a time. How many rows went.

    What is being taken back just now is known until that is through.
    """
    ended = BulkAction.objects.filter(undo_ended=True).exclude(undone_by__state__in=UNFINISHED)
    gone = 0
    for _ in range(most_rounds):
        found = list(
            BulkChange.objects.filter(bulk__in=ended.values("pk")).values_list("pk", flat=True)[:AT_ONCE]
        )
        if not found:
            break
        gone += BulkChange.objects.filter(pk__in=found).delete()[0]
    return gone
