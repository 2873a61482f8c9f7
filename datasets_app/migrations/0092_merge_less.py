from django.db import migrations

from datasets_app.db.text_index import index


def less(apps, schema_editor):
    index.merge_less(schema_editor.connection)


def as_usual(apps, schema_editor):
    index.merge_as_usual(schema_editor.connection)


class Migration(migrations.Migration):
    """The indexes of words and trigrams put their parts together in larger groups: ingest writes them less often."""

    dependencies = [("datasets_app", "0091_bulk_by_number")]

    operations = [migrations.RunPython(less, as_usual)]
