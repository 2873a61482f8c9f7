"""The state of the site's operation as numbers: what waits, what runs, what was finished, hosts, disks, and alerts.

`queue`, `jobs`, `hosts`, `finished` and `disks` each answer one question with a bounded number of queries that an index
serves. /metrics, the page `/operations/`, `manage.py doctor` and the alert rules read the same functions. `alerts/`
raises and clears alerts; the sweeper calls it. Imports models, workers and shared packages; never a page.
"""
