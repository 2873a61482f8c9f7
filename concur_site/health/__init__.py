"""How the site is: its database, broker, disk and workers, for a load balancer, for people and for `doctor`.

`report.current()` gives all four within a bounded time; `probe.ask()` asks a site that runs on this machine.
"""
