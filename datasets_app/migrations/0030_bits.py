from django.db import migrations

from datasets_app.db import triggers


def create(apps, schema_editor):
    triggers.create(schema_editor.connection)


def drop(apps, schema_editor):
    triggers.drop(schema_editor.connection)


class Migration(migrations.Migration):
    """The bits behind the counts. Their triggers are put in after every `migrate` (datasets_app/apps.py)."""

    dependencies = [("datasets_app", "0020_evidence")]

    operations = [migrations.RunPython(create, drop)]
