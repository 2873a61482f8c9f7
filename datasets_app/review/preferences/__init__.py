"""Preferences: which of two samples of one task a reviewer finds better, and what follows from all of them.

`submit_preference`, `withdraw_preference` and `take_back_last` (`verbs`) are what people do, and `readable_preferences`
(`reading`) is what they may see. Of each reviewer, at most one preference of a pair stands. `pairs` chooses the next
pair, `ranking_of` ranks a task's samples (Bradley-Terry, `ranking`), `trainer_pairs` writes what trainers read, and
`records` takes all of it out and in again.
"""

from datasets_app.review.preferences.errors import (
    AlreadyComparedError,
    PreferenceError,
    PreferenceWithdrawnError,
)
from datasets_app.review.preferences.reading import Ranking, ranking_of, readable_preferences
from datasets_app.review.preferences.verbs import (
    last_preference,
    submit_preference,
    take_back_last,
    withdraw_preference,
)

__all__ = [
    "AlreadyComparedError",
    "PreferenceError",
    "PreferenceWithdrawnError",
    "Ranking",
    "last_preference",
    "ranking_of",
    "readable_preferences",
    "submit_preference",
    "take_back_last",
    "withdraw_preference",
]
