"""How PostgreSQL stores the texts of tasks and samples: by lz4 if the server was built with it, else as they are.

Its usual method, pglz, takes two fifths of the processor time that storing a row takes. SQLite compresses nothing. Rows
that were stored before keep their form, and both are read alike.
"""

from django.db.backends.base.base import BaseDatabaseWrapper

TEXTS = {
    "datasets_app_taskbody": ("pytorch_code",),
    "datasets_app_samplebody": ("reasoning", "kernel_code", "feedback"),
}
# The statement that chooses a form, and how pg_attribute has it: storage, compression.
LZ4 = "ALTER {column} SET STORAGE EXTENDED, ALTER {column} SET COMPRESSION lz4", ("x", "l")
AS_THEY_ARE = "ALTER {column} SET STORAGE EXTERNAL, ALTER {column} SET COMPRESSION default", ("e", "")


def statements(connection: BaseDatabaseWrapper) -> list[str]:
    """Return the statements that choose the form of the texts that are stored from now on; none where they have it, for
    each waits for all that read the table."""
    if connection.vendor != "postgresql":
        return []
    form, wanted = LZ4 if has_lz4(connection) else AS_THEY_ARE
    present = forms(connection)
    changes = {
        table: [form.format(column=column) for column in columns if present[table, column] != wanted]
        for table, columns in TEXTS.items()
    }
    return [f"ALTER TABLE {table} {', '.join(parts)}" for table, parts in changes.items() if parts]


def forms(connection: BaseDatabaseWrapper) -> dict[tuple[str, str], tuple[str, str]]:
    """Return storage and compression of each column of these tables, as one letter each; "" is the server's default."""
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT relname, attname, attstorage::text, attcompression::text
               FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
               WHERE attrelid = ANY(%s::regclass[])""",
            [list(TEXTS)],
        )
        return {(table, column): (storage, compression) for table, column, storage, compression in cursor}


def has_lz4(connection: BaseDatabaseWrapper) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT 'lz4' = ANY(enumvals) FROM pg_settings WHERE name = 'default_toast_compression'"
        )
        return cursor.fetchone() == (True,)
