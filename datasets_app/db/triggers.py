"""Data that the database derives from its own rows by triggers: the full-text indexes and the bits behind the counts.

`migrate` drops the triggers before it changes tables and creates them again afterwards (apps.py): SQLite refuses to
rebuild a table that a trigger refers to, and a rebuilt table has lost its own. Rows that were written in between are
then indexed.
"""

from typing import Any

from django.db import connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from datasets_app.db import analyze_tables, text_storage
from datasets_app.db.facet_index import tables
from datasets_app.db.facet_index.compaction import is_current, rebuild
from datasets_app.db.text_index import index


def before_migrate(using: str, **_: Any) -> None:
    """Drop the triggers; a receiver of pre_migrate."""
    connection = connections[using]
    index.drop_triggers(connection)
    index.run(connection, tables.drop_trigger_statements(connection))


def after_migrate(using: str, plan: Any = None, **_: Any) -> None:
    """Create the triggers; a receiver of post_migrate. Does nothing if the site was migrated to before these tables."""
    connection = connections[using]
    needed = [*tables.needed(), *index.sql_for(connection).NEEDED]
    if not set(needed) <= set(connection.introspection.table_names()):
        return
    with transaction.atomic(using=using):
        index.run(connection, text_storage.statements(connection))
        index.run(connection, tables.missing_numbers(connection.vendor))
        index.index_missing(connection)
        index.create_triggers(connection)
        index.run(connection, tables.trigger_statements(connection.vendor))
        if plan or not is_current():
            rebuild()
            analyze_tables.refresh()


def create(connection: BaseDatabaseWrapper) -> None:
    index.run(connection, tables.create_statements(connection.vendor))


def drop(connection: BaseDatabaseWrapper) -> None:
    index.run(connection, tables.drop_statements(connection.vendor))
