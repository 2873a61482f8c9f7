from django.db import migrations, models

from datasets_app.db.text_index import index

BEFORE = [
    "DROP INDEX IF EXISTS concur_sample_code",
    "DROP INDEX IF EXISTS concur_task_code",
    "DROP TABLE IF EXISTS concur_sample_search",
    "DROP TABLE IF EXISTS concur_task_search",
    """DO $$ DECLARE known record; BEGIN
       FOR known IN SELECT oid::regprocedure AS name FROM pg_proc WHERE proname IN (
           'concur_words', 'concur_document', 'concur_learn_samples', 'concur_learn_tasks', 'concur_sample_text',
           'concur_task_text', 'concur_numbers_with', 'concur_numbers_with_code', 'concur_holds_code',
           'concur_code_grams') LOOP
           EXECUTE 'DROP FUNCTION ' || known.name;
       END LOOP; END $$""",
]


def create(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        index.run(schema_editor.connection, BEFORE)
        index.create(schema_editor.connection)


def drop(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        index.drop(schema_editor.connection)


class Migration(migrations.Migration):
    """On PostgreSQL texts are indexed behind the storing, words and trigrams in one row."""

    dependencies = [("datasets_app", "0141_accounts")]

    operations = [
        migrations.RunPython(create, drop),
        migrations.AlterField(
            "upkeep",
            "kind",
            models.CharField(
                choices=[
                    ("neighbours", "Index of similar kernels"),
                    ("tokens", "Trace lengths"),
                    ("search", "Text search"),
                ],
                max_length=20,
            ),
        ),
    ]
