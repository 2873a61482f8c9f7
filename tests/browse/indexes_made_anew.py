"""Drops the indexes of texts and makes them again, by the functions of the migration that made them."""

from importlib import import_module

from django.db import connection

from datasets_app.db import triggers
from datasets_app.db.text_index import index


def make_indexes_anew():
    migration = import_module("datasets_app.migrations.0001_squashed_0003_claim_ratio")
    triggers.before_migrate("default")
    with connection.schema_editor() as editor:
        migration.drop_indexes(None, editor)
    try:
        assert not index.is_there(connection)
    finally:
        with connection.schema_editor() as editor:
            migration.create_indexes(None, editor)
        triggers.after_migrate("default")
