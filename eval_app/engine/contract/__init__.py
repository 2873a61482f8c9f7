"""Data exchanged with the engine: jobs, reports, profiles, evidence, inspections.

`Job.from_dict` and `Report.from_dict` validate untrusted JSON. Standard library only; every other room may
import this one, and it imports none of them.
"""
