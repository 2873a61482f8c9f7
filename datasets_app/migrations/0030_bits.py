from django.db import migrations

from datasets_app import derived


def create(apps, schema_editor):
    derived.create(schema_editor.connection)


def drop(apps, schema_editor):
    derived.drop(schema_editor.connection)


class Migration(migrations.Migration):
    """The bits behind the counts. Their triggers are put in after every `migrate` (datasets_app/apps.py)."""

    dependencies = [("datasets_app", "0020_evidence")]

    operations = [migrations.RunPython(create, drop)]
