"""The candidate's calls: the session with its process, and what each call is held to besides its results.

`session.Session` makes calls over `runner_channel`; `conduct` says what a call may do to its inputs, and `diagnosis`
why one failed. Nothing that the runner sends is trusted.
"""
