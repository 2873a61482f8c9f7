from django.db import migrations, models


def count_what_is_kept(apps, schema_editor):
    """Every refused row was kept until now."""
    apps.get_model("datasets_app", "Ingest").objects.update(refused_kept=models.F("refused"))


def as_before(apps, schema_editor):
    """What the older columns cannot say: a file that is not recognised yet has its name as source, as it had then."""
    ingests = apps.get_model("datasets_app", "Ingest").objects
    sources = apps.get_model("datasets_app", "Source").objects
    for ingest in ingests.filter(source=None):
        source, _ = sources.get_or_create(name=ingest.file_name[:120])
        ingests.filter(pk=ingest.pk).update(source=source)
    ingests.filter(state="cancelled").update(state="failed")


class Migration(migrations.Migration):
    """Rows by themselves: PostgreSQL alters no table that has changed in the same transaction."""

    dependencies = [("datasets_app", "0120_ingest_budgets")]
    operations = [migrations.RunPython(count_what_is_kept, as_before)]
