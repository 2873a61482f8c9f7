"""Recounts and rebuilds of what is derived from the rows: trace lengths, clusters, facet index, table statistics.

`runs.ask` starts a run; it is also started after every ingest and bulk action. The pages of this package are at
`/maintenance/`. It may import every shared package, and no stage.
"""
