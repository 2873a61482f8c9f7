"""What the database's planner knows of the tables: how many rows, how many to a value.

PostgreSQL sees to it by itself, some minutes later. SQLite never does, and without it takes the wrong index for a page
of a million rows.
"""

from typing import Any

from django.apps import apps
from django.db import connection

# Of each index. A value with more rows than that is taken to have only so many: a few thousand would make an index of
# six sources look like a way to few rows. Two seconds' work at a million samples.
SAMPLED_ROWS = 50_000


def refresh() -> None:
    """After many rows came in, or a migration."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            refresh_sqlite(cursor)
            return
        for table in tables():
            cursor.execute(f"ANALYZE {connection.ops.quote_name(table)}")


def refresh_sqlite(cursor: Any) -> None:
    """Index after index, so that nobody who writes waits for all of them."""
    cursor.execute(f"PRAGMA analysis_limit={SAMPLED_ROWS}")
    for table in tables():
        cursor.execute("SELECT name FROM pragma_index_list(%s)", [table])
        for (index,) in cursor.fetchall():
            cursor.execute(f"ANALYZE {connection.ops.quote_name(index)}")
        correct_row_counts(cursor, table)
    cursor.execute("ANALYZE sqlite_master")  # reads the corrected ones


def correct_row_counts(cursor: Any, table: str) -> None:
    """A limited ANALYZE guesses a table's rows anew for each of its indexes, up to three times too few or too many;
    a planner that believes it takes one index for half of another's size."""
    cursor.execute(f"SELECT count(*) FROM {connection.ops.quote_name(table)}")  # noqa: S608
    [(rows,)] = cursor.fetchall()
    cursor.execute(
        """UPDATE sqlite_stat1 SET stat = %s || ltrim(stat, '0123456789')
           WHERE tbl = %s AND idx IN (SELECT name FROM pragma_index_list(%s) WHERE NOT partial)""",
        [rows, table, table],
    )


def tables() -> list[str]:
    """Those of our own models: a scan of the long texts or of the words' index would tell nothing."""
    labels = ("datasets_app", "eval_app")
    models = [
        model
        for label in labels
        for model in apps.get_app_config(label).get_models(include_auto_created=True)
    ]
    there = set(connection.introspection.table_names())
    return [model._meta.db_table for model in models if model._meta.managed and model._meta.db_table in there]
