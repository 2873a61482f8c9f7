"""Processes that run untrusted code: bubblewrap, dropped privileges, zygotes, channels.

A zygote is a sandboxed process that has imported torch and forks one child per job. The orchestrator uses
`zygote_pair.PairRotation`, one per lane, and `bubblewrap.wrap_build` for compilers. `privileges` runs inside
the sandbox by its path and uses the standard library alone. Nothing here may import the roles that run in a
child; `zygote` loads them by name.
"""
