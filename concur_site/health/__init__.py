"""The health of the site: database, broker, disk and workers, for load balancers, people and `doctor`.

`report.current()` returns all four within a bounded time; `probe.ask()` asks a site that runs on this machine.
"""
