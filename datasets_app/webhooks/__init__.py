"""Webhooks: addresses that administrators enter and that are told about releases, their files and alerts.

A stage calls `events.record` in the transaction that stores a fact: each webhook that listens gets a delivery, a
background job. `deliver.run` sends one, signed (`signature`), to an address that was checked (`addresses`, `post`), and
tries again with growing pauses. `verbs` are what administrators do; the page is `/webhooks/`. This package imports
accounts, processes and jobs, and no stage. docs/webhooks.md describes the protocol.
"""
