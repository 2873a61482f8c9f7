"""The task: its reference program, loaded and called, and cases, which are inputs with the reference's results.

`cases.CaseMaker` makes them. Imports neither the session with the candidate nor what decides about it.
"""
