"""Brings derived data up to date: trace lengths and the index of similar kernels.

`runs.request` starts a run, as every ingest does; `runs.run` runs one. The pages are at `/maintenance/`. This package
may import every shared package, and no stage.
"""
