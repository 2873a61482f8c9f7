"""What the database's planner knows of the tables: how many rows, how many to a value.

PostgreSQL sees to it by itself. SQLite never does, and without it takes the wrong index for a page of a million rows.
"""

from django.apps import apps
from django.db import connection

# Of each index. A value with more rows than that is taken to have only so many: a few thousand would make an index of
# six sources look like a way to few rows. Two seconds' work at a million samples.
SAMPLED_ROWS = 50_000


def refresh() -> None:
    """After many rows came in, or a migration."""
    if connection.vendor != "sqlite":
        return
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA analysis_limit={SAMPLED_ROWS}")
        for table in tables():
            cursor.execute(f"ANALYZE {connection.ops.quote_name(table)}")


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
