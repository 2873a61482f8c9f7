"""The full-text indexes and the triggers that maintain them: one file of SQL per database, installed in the same way.

db.triggers decides when they are created, and dropped for a migration.
"""

from types import ModuleType

from django.db.backends.base.base import BaseDatabaseWrapper

from datasets_app.db.text_index import postgres, sqlite


def sql_for(connection: BaseDatabaseWrapper) -> ModuleType:
    return postgres if connection.vendor == "postgresql" else sqlite


def run(connection: BaseDatabaseWrapper, statements: list[str]) -> None:
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def is_there(connection: BaseDatabaseWrapper) -> bool:
    return "concur_sample_search" in connection.introspection.table_names()


def create(connection: BaseDatabaseWrapper) -> None:
    run(connection, sql_for(connection).CREATE)


def drop(connection: BaseDatabaseWrapper) -> None:
    drop_triggers(connection)
    run(connection, sql_for(connection).DROP)


def create_code(connection: BaseDatabaseWrapper) -> None:
    """Create the index of substrings and fill it from the codes that have a number."""
    run(connection, [*sql_for(connection).CREATE_CODE, *sql_for(connection).LEARN_CODE])


def drop_code(connection: BaseDatabaseWrapper) -> None:
    run(connection, sql_for(connection).DROP_CODE)


def merge_less(connection: BaseDatabaseWrapper) -> None:
    """Make the indexes merge their segments in larger groups. PostgreSQL has no segments."""
    run(connection, sql_for(connection).MERGE_LESS)


def drop_triggers(connection: BaseDatabaseWrapper) -> None:
    run(connection, sql_for(connection).DROP_TRIGGERS)


def create_triggers(connection: BaseDatabaseWrapper) -> None:
    run(connection, sql_for(connection).CREATE_TRIGGERS)


def index_missing(connection: BaseDatabaseWrapper) -> None:
    """Index every text that is not indexed yet. If there is none, this costs one scan of the two id columns."""
    run(connection, sql_for(connection).INDEX_MISSING)


def rebuild(connection: BaseDatabaseWrapper) -> None:
    """Empty the indexes and index every text again, which frees the space of deleted rows."""
    run(connection, sql_for(connection).EMPTY)
    index_missing(connection)
