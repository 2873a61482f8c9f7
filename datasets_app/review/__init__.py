"""The review stage: a reviewer gets a sample, judges it under a rubric, and may save a draft meanwhile.

`next_sample` and `claim` reserve a slot of a sample (`queue`, `candidates`, `slots`, `assignments`; `queues` holds
the queues that curators make), `save_draft` saves an unfinished form (`drafts`), `submit_review` stores a review
(`submit`) after `check` has compared it with its version of the `rubric`, and `withdraw_review` takes it out of all
counts (`withdraw`). `sample_ahead` reserves the sample after the open one for a moment (`ahead`), `undo_review` takes
the newest review back (`undo`), and `day_of` counts a reviewer's day (`day`).
Reviews are append-only; of each reviewer the newest standing one is the vote, and `models.verdict_policy` says what
votes decide together. Two things keep two people, or one person's two tabs, from overwriting each other unseen: every
form has a key, so that a repeated submission is stored once, and every form carries what was visible when it was opened
(`seen`).
"""

from datasets_app.review.ahead import release_ahead, sample_ahead
from datasets_app.review.blind import hidden_verdicts, is_blind_to, readable_reviews
from datasets_app.review.check import ReviewError
from datasets_app.review.day import Day, day_of, midnight
from datasets_app.review.drafts import DraftConflictError, save_draft
from datasets_app.review.queue import (
    Place,
    Progress,
    SkipError,
    claim,
    next_sample,
    progress,
    release_claim,
    skip,
)
from datasets_app.review.seen import ChangedSinceError, Judgements, Seen, changes_since, look
from datasets_app.review.slots import ClaimedError, NoSlotError
from datasets_app.review.submit import KeyReusedError, RubricChangedError, last_review, submit_review
from datasets_app.review.undo import may_undo, undo_review
from datasets_app.review.withdraw import ReviewWithdrawnError, withdraw_review

__all__ = [
    "ChangedSinceError",
    "ClaimedError",
    "Day",
    "DraftConflictError",
    "Judgements",
    "KeyReusedError",
    "NoSlotError",
    "Place",
    "Progress",
    "ReviewError",
    "ReviewWithdrawnError",
    "RubricChangedError",
    "Seen",
    "SkipError",
    "changes_since",
    "claim",
    "day_of",
    "hidden_verdicts",
    "is_blind_to",
    "last_review",
    "look",
    "may_undo",
    "midnight",
    "next_sample",
    "progress",
    "readable_reviews",
    "release_ahead",
    "release_claim",
    "sample_ahead",
    "save_draft",
    "skip",
    "submit_review",
    "undo_review",
    "withdraw_review",
]
