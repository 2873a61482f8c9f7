"""Processes that run untrusted code: bubblewrap, dropped privileges, zygotes that fork a child per job, channels.

The orchestrator starts a `zygote_pair.ChildPair` per lane. `privileges` runs inside before torch is imported and uses the
standard library alone.
"""
