"""Reports into the database, and what follows from them: `record.record_report` stores a report exactly once.

`staleness` says which results no longer match the present devices and versions; `versions` says which engines the site
accepts. Imports the engine's contract; never the queue.
"""
