"""Background jobs of the site: one database row per job, and the message that starts a worker on it.

A stage writes a row and calls `enqueue.enqueue(task, pk)`; its task calls `run.run_claimed(row, work, expected)` on the
row that it claimed. `job_row` claims, renews and finishes rows, so that a job whose worker died continues in another
one; `heartbeat` renews a lease while the work goes on. The row is the truth: a lost message delays a job and never
loses it. This package imports models and the broker client, and no stage.
"""
