"""The ratio of measured to claimed speedup, which the database computes for every stored sample too; a policy of loops."""

from django.db import migrations, models
from django.db.models import Case, F, FloatField, GeneratedField, Q, When


class AddStoredField(migrations.AddField):
    """Add a column that the database computes and stores. SQLite takes one only into a table that is built again, which
    Django does not do by itself where the column may be null.
    """

    def database_forwards(self, app_label, schema_editor, from_state, to_state):
        if schema_editor.connection.vendor != "sqlite":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
            return
        before, after = (state.apps.get_model(app_label, self.model_name) for state in (from_state, to_state))
        schema_editor._remake_table(before, create_field=after._meta.get_field(self.name))


class Migration(migrations.Migration):
    dependencies = [("datasets_app", "0001_squashed_0002_indexes_roles_recipes")]

    operations = [
        AddStoredField(
            model_name="sample",
            name="claim_ratio",
            field=GeneratedField(
                expression=Case(
                    When(Q(claimed_speedup__gte=1e-6), then=F("measured_speedup") / F("claimed_speedup")),
                    output_field=FloatField(),
                ),
                output_field=FloatField(),
                null=True,
                db_persist=True,
                help_text="measured over claimed speedup; the database keeps it true of both",
            ),
        ),
        migrations.AddIndex(
            model_name="sample",
            index=models.Index(
                condition=Q(claim_ratio__isnull=False),
                fields=["device", "claim_ratio", "id"],
                name="sample_device_ratio",
            ),
        ),
        migrations.AlterField(
            model_name="loop",
            name="policy",
            field=models.CharField(
                choices=[
                    ("serial", "serial turns, with feedback"),
                    ("best_of_n", "best of N, no feedback"),
                    ("evolution", "evolution on islands"),
                    ("crossover", "evolution with crossover"),
                ],
                max_length=12,
            ),
        ),
    ]
