"""The index of followers holds those samples that have a parent: over all of them a planner takes it for useless."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("datasets_app", "0070_fewer_sample_indexes")]

    operations = [
        migrations.AlterField(
            model_name="sample",
            name="parent",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="children",
                to="datasets_app.sample",
            ),
        ),
        migrations.AddIndex(
            model_name="sample",
            index=models.Index(
                condition=models.Q(("parent__isnull", False)),
                fields=["parent", "turn"],
                name="sample_follows",
            ),
        ),
    ]
