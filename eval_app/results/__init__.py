"""Reports into the database, and what follows from them: `record.record` stores a report exactly once.

`staleness` says which results no longer match the present device or versions.
"""
