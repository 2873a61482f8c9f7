"""The profiler's counters of a kernel: their names, the few that tell most, operations, what limits occupancy.

A report has them under `inspection.metrics` by Nsight Compute's names, as means over the launches of its longest
kernel. `counters.telling` and `counters.occupancy` read them for pages and for what a model is told of its kernel,
`counters.executed` for pages and for the claims of traces.
Imports nothing of the site.
"""
