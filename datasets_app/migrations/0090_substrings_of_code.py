from django.db import migrations

from datasets_app.db.text_index import index


def create(apps, schema_editor):
    index.create_code(schema_editor.connection)


def drop(apps, schema_editor):
    index.drop_code(schema_editor.connection)


class Migration(migrations.Migration):
    """The indexes of trigrams. On SQLite the triggers of full-text search keep them, too."""

    dependencies = [("datasets_app", "0080_followers")]

    operations = [migrations.RunPython(create, drop)]
