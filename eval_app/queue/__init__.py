"""Verifications on their way to a worker: dispatch, the send window, priority, leases and the sweeper.

`dispatch.send` publishes a message per queued row; `sweeper.sweep` requeues what a lost message or a dead worker left.
"""
