from django.db import migrations

from datasets_app.db.text_index import index


def create(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        index.create(schema_editor.connection)


def drop(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        index.drop(schema_editor.connection)


class Migration(migrations.Migration):
    """SQLite's full-text indexes; PostgreSQL's follow in 0160. Their triggers are put in after every `migrate` (datasets_app/apps.py)."""

    dependencies = [("datasets_app", "0002_roles")]

    operations = [migrations.RunPython(create, drop)]
