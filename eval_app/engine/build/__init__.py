"""Building candidates' extensions away from the device that runs them.

`request` says what to build, `service` builds it and keeps it, `hooks` runs inside the runner and turns a
candidate's `load_inline` into a request. Only `hooks` imports torch, and only when it is installed.
"""
