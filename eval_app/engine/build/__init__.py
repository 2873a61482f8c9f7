"""Building candidates' extensions, away from the device that runs them.

`request` describes a build, `service.BuildService` builds and caches it, `hooks` runs in the runner and turns
a candidate's `load_inline` into a request. Only `hooks` imports torch, when it is installed; `probe` runs as
a program of its own.
"""
