from django.db import migrations, models

from datasets_app.curate.builtin import BUILTIN


def store_recipes(apps, schema_editor):
    recipes = apps.get_model("datasets_app", "Recipe")
    for name, fields in BUILTIN.items():
        recipes.objects.update_or_create(name=name, defaults={**fields, "builtin": True})


class Migration(migrations.Migration):
    dependencies = [("datasets_app", "0152_environments_that_changed")]
    operations = [
        migrations.AddField(
            model_name="release",
            name="device",
            field=models.CharField(
                blank=True,
                help_text="that the evidence of all rows is of; empty until it is frozen, or on a site without evidence",
                max_length=120,
            ),
        ),
        migrations.AddField(
            model_name="releaserow",
            name="verification",
            field=models.ForeignKey(
                blank=True,
                help_text="the run that the snapshot's evidence rests on; null: there was none on the release's device",
                null=True,
                on_delete=models.deletion.PROTECT,
                related_name="release_rows",
                to="datasets_app.verification",
            ),
        ),
        migrations.AlterField(
            model_name="releaserow",
            name="snapshot",
            field=models.JSONField(help_text="the facts of datasets_app.export.columns as frozen"),
        ),
        migrations.RunPython(store_recipes, migrations.RunPython.noop),
    ]
