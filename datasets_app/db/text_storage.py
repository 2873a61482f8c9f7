"""How PostgreSQL stores the texts of tasks and samples: by lz4 if the server was built with it, else as they are.

Its usual method, pglz, takes two fifths of the processor time that storing a row takes. SQLite compresses nothing. Rows
that were stored before keep their form, and both are read alike.
"""

from django.db.backends.base.base import BaseDatabaseWrapper

TEXTS = {
    "datasets_app_taskbody": ("pytorch_code",),
    "datasets_app_samplebody": ("reasoning", "kernel_code", "feedback"),
}
LZ4 = "ALTER {column} SET STORAGE EXTENDED, ALTER {column} SET COMPRESSION lz4"
AS_THEY_ARE = "ALTER {column} SET STORAGE EXTERNAL"


def statements(connection: BaseDatabaseWrapper) -> list[str]:
    """Return the statements that choose the form of the texts that are stored from now on."""
    if connection.vendor != "postgresql":
        return []
    form = LZ4 if has_lz4(connection) else AS_THEY_ARE
    return [
        f"ALTER TABLE {table} {', '.join(form.format(column=column) for column in columns)}"
        for table, columns in TEXTS.items()
    ]


def has_lz4(connection: BaseDatabaseWrapper) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT 'lz4' = ANY(enumvals) FROM pg_settings WHERE name = 'default_toast_compression'"
        )
        return cursor.fetchone() == (True,)
