"""Database work beyond the ORM: facet counts (`facet_index`), full-text search (`text_index`), triggers, bulk inserts,
planner statistics, read snapshots, and which tables have rows.

Each module is called by its own name; `facet_index.read()` and `snapshot.read_snapshot()` are the ones used most. This
package imports nothing of the project: models are known here by their table names.
"""
