"""Time: single calls by the runner's clock, orders of many by the judge's own, which decide, and what bounds both.

`measurement.Measurement` measures one job: `timing` by single calls, `order_timer` by orders, `handover` by calls that
come one by one. `foreign_work` and `idleness` look for others' work, `roofline` for times that no device could reach.
`statistics` imports no torch: the orchestrator uses it.
"""
