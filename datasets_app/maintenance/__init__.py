"""Updates derived data: trace lengths, the index of similar kernels, the text search, evidence and
verdicts.

`runs.request` starts a run, as every ingest does; `runs.run` runs one. The pages are at `/maintenance/`. This package
may import every shared package, and no stage.
"""
