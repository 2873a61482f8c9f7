"""What the site's processes count for /metrics: answered requests, finished verifications and their stages, errors.

Every process counts in memory; `files.share(program)` has it count in a file of its own in the data folder instead, so
that one scrape adds up all processes and a restart loses nothing (docs/decisions/0016-metrics.md). The functions of
`instruments` are called where things happen; `files.everything()` returns what all processes counted. This package
imports prometheus_client and settings only.
"""
