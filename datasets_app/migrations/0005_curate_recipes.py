"""The recipes that come with the project."""

from django.db import migrations

from datasets_app.curate.builtin import BUILTIN


def store(apps, schema_editor):
    recipes = apps.get_model("datasets_app", "Recipe")
    for name, fields in BUILTIN.items():
        recipes.objects.update_or_create(name=name, defaults={**fields, "builtin": True})


def remove(apps, schema_editor):
    apps.get_model("datasets_app", "Recipe").objects.filter(builtin=True, name__in=BUILTIN).delete()


class Migration(migrations.Migration):
    dependencies = [("datasets_app", "0004_curate_releases")]
    operations = [migrations.RunPython(store, remove)]
