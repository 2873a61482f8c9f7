"""Verifications on their way to a worker: the engine's job for a sample, the send window, priorities and dispatch.

`job.job_for` turns a sample into the engine's job; `dispatch.send_after_commit` publishes a message per queued row, as
`send_window` allows: in the queue of its route (`routes`: kind of device and requirement), people in turn (`shares`).
Imports results and attempts; never a request, which creates the rows.
"""
