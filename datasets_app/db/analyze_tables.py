"""Refreshes the statistics from which the database's planner chooses an index.

PostgreSQL does this by itself, some minutes later. SQLite never does, and without statistics it chooses the wrong index
for a page of a million rows.
"""

from typing import Any

from django.apps import apps
from django.db import connection

# Rows sampled per index. With a sample of a few thousand, an index over six sources would look as if it led to few
# rows. This size costs two seconds at a million samples.
SAMPLED_ROWS = 50_000
# Told of fewer, SQLite 3.40 looks for the ids of an IN by stepping through the index (its SeekScan), and gives one row
# the id of another: a page of a sorted list had a sample that belongs elsewhere.
LEAST_ROWS = 1_000


def refresh() -> None:
    """Refresh all tables that have rows, after a migration or after many rows were stored."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            refresh_sqlite(cursor)
            return
        for table in map(connection.ops.quote_name, tables()):
            # Statements prepared for a table that is known to be empty go on reading all of it while it fills.
            cursor.execute(f"SELECT EXISTS (SELECT FROM {table})")  # noqa: S608
            if cursor.fetchone() == (True,):
                cursor.execute(f"ANALYZE {table}")


def refresh_sqlite(cursor: Any) -> None:
    """Analyze one index at a time, so that no writer waits for all of them. Empty tables have no statistics."""
    cursor.execute(f"PRAGMA analysis_limit={SAMPLED_ROWS}")
    ours = set(tables())
    cursor.execute("SELECT tbl_name, name FROM sqlite_master WHERE type = 'index'")
    for table, index in cursor.fetchall():
        if table in ours:
            cursor.execute(f"ANALYZE {connection.ops.quote_name(index)}")
    cursor.execute("SELECT DISTINCT tbl FROM sqlite_stat1")
    for (table,) in cursor.fetchall():
        if table in ours:
            correct_row_counts(cursor, table)
    cursor.execute("ANALYZE sqlite_master")  # reloads the corrected statistics


def correct_row_counts(cursor: Any, table: str) -> None:
    """Replace the row counts that a limited ANALYZE estimates per index, up to three times too low or too high: the
    planner would take one index for half the size of another. None is below LEAST_ROWS."""
    cursor.execute(f"SELECT count(*) FROM {connection.ops.quote_name(table)}")  # noqa: S608
    [(rows,)] = cursor.fetchall()
    cursor.execute(
        """UPDATE sqlite_stat1 SET stat = %s || ltrim(stat, '0123456789')
           WHERE tbl = %s AND idx IN (SELECT name FROM pragma_index_list(%s) WHERE NOT partial)""",
        [max(rows, LEAST_ROWS), table, table],
    )


def tables() -> list[str]:
    """Return the tables of the project's models: statistics of the long texts or of the search index would not help."""
    labels = ("datasets_app", "eval_app")
    models = [
        model
        for label in labels
        for model in apps.get_app_config(label).get_models(include_auto_created=True)
    ]
    there = set(connection.introspection.table_names())
    return [model._meta.db_table for model in models if model._meta.managed and model._meta.db_table in there]
