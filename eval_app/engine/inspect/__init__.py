"""Inspection of a candidate beside its verdict: the kernels it runs, their machine code, counters, memory errors.

`inspections.full_inspection` returns a contract.inspection.Inspection, `ownership.read_trace` the kernels with their
owners. Tools run in sandboxes of their own. Nothing here changes an outcome.
"""
