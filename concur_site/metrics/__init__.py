"""`/metrics` in Prometheus's format: what the processes counted, and the state of the site at the time of the scrape.

`middleware` counts every request, `collector` reads the state in a bounded time, `views` answers those who may read it.
docs/monitoring.md lists the metrics; docs/decisions/0016-metrics.md says why they are made in two ways.
"""
