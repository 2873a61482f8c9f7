"""The trusted side of the engine: it runs no submitted code and imports no torch.

`engine.Engine.verify` turns a job into a report. `verification` lists the stages of one job, `attempt` runs
judge and runner once, `classify_outcome` decides the outcome, `post_verdict` adds what the report holds
besides the verdict, `lanes` hands out devices, and `selftest` checks the machine.
"""
