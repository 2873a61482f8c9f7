"""Hosts and workers as the site knows them: which hosts may verify, their keys, and which work the workers take.

`registry` adds, rotates and revokes hosts; `site_key` signs what the site sends and derives the nonces of jobs;
`local_key` prepares the key of the worker on the site's own machine; `fleet.Fleet` says who is alive and what a queued
verification waits for. Imports models and the broker's keys; never results, the queue or a page.
"""
