"""The ratio of measured to claimed speedup, which the database computes for every stored sample too."""

import django.db.models.expressions
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("datasets_app", "0002_indexes_roles_recipes"),
    ]

    operations = [
        migrations.AddField(
            model_name="sample",
            name="claim_ratio",
            field=models.GeneratedField(
                db_persist=True,
                expression=models.Case(
                    models.When(
                        models.Q(("claimed_speedup__gte", 1e-06)),
                        then=django.db.models.expressions.CombinedExpression(
                            models.F("measured_speedup"), "/", models.F("claimed_speedup")
                        ),
                    ),
                    output_field=models.FloatField(),
                ),
                help_text="measured over claimed speedup; the database keeps it true of both",
                null=True,
                output_field=models.FloatField(),
            ),
        ),
        migrations.AddIndex(
            model_name="sample",
            index=models.Index(
                condition=models.Q(("claim_ratio__isnull", False)),
                fields=["device", "claim_ratio", "id"],
                name="sample_device_ratio",
            ),
        ),
    ]
