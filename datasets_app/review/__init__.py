"""The review stage: a reviewer gets a sample, judges it under a rubric, and may save a draft meanwhile.

`next_sample` and `claim` reserve a sample (`queue`, `candidates`, `assignments`), `save_draft` saves an unfinished form
(`drafts`), `submit_review` stores a review (`submit`). Reviews are append-only and the newest one counts. Two things
keep two people, or one person's two tabs, from overwriting each other unseen: every form has a key, so that a repeated
submission is stored once, and every form carries what was visible when it was opened (`Seen`).
"""

from datasets_app.review.drafts import DraftConflictError, save_draft
from datasets_app.review.queue import (
    ClaimedError,
    Progress,
    claim,
    next_sample,
    progress,
    release_claim,
    skip,
)
from datasets_app.review.submit import (
    ChangedSinceError,
    KeyReusedError,
    ReviewError,
    Seen,
    changes_since,
    is_blind_to,
    last_review,
    look,
    readable_reviews,
    submit_review,
    visible_reviews,
)

__all__ = [
    "ChangedSinceError",
    "ClaimedError",
    "DraftConflictError",
    "KeyReusedError",
    "Progress",
    "ReviewError",
    "Seen",
    "changes_since",
    "claim",
    "is_blind_to",
    "last_review",
    "look",
    "next_sample",
    "progress",
    "readable_reviews",
    "release_claim",
    "save_draft",
    "skip",
    "submit_review",
    "visible_reviews",
]
