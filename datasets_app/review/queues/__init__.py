"""Queues as data: curators make, open, fill up, change and close them (`verbs`); reviewers work on them (`work`).

A queue's samples are stored when it is opened, in its order (`orders`), because a query such as `verdict:none` would
lose each sample after the first of several reviews. A sample is in at most one open queue. `progress` counts reviews:
stored, being written, skipped and waiting add up to samples times overlap.
"""

from datasets_app.review.queues.progress import QueueProgress, progress_of
from datasets_app.review.queues.verbs import (
    QueueError,
    change_queue,
    close_queue,
    count_new,
    create_queue,
    open_queue,
    top_up,
)
from datasets_app.review.queues.work import (
    ahead_in_queue,
    assigned_to,
    next_in_queue,
    place_in,
    queues_with_work,
)

__all__ = [
    "QueueError",
    "QueueProgress",
    "ahead_in_queue",
    "assigned_to",
    "change_queue",
    "close_queue",
    "count_new",
    "create_queue",
    "next_in_queue",
    "open_queue",
    "place_in",
    "progress_of",
    "queues_with_work",
    "top_up",
]
