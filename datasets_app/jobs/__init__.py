"""Background jobs of the site: a database row per job, and the message that starts a worker on it.

Stages call `enqueue.wake(...)` after they have written a row; `job_row` claims, renews and finishes rows, so that a job
whose worker died is continued by another. The row is the truth: a lost message delays a job and never loses it.
This package imports models and the broker client, and no stage.
"""
