import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("datasets_app", "0110_bulk_counts"),
    ]

    operations = [
        migrations.AddField(
            model_name="ingest",
            name="group",
            field=models.UUIDField(
                blank=True, db_index=True, help_text="shared by files that were given together", null=True
            ),
        ),
        migrations.AddField(
            model_name="ingest",
            name="refused_bytes",
            field=models.PositiveBigIntegerField(default=0, help_text="characters of their texts"),
        ),
        migrations.AddField(
            model_name="ingest",
            name="refused_kept",
            field=models.PositiveIntegerField(default=0, help_text="refused rows that are stored"),
        ),
        migrations.AddField(
            model_name="ingest",
            name="said",
            field=models.JSONField(
                blank=True, default=dict, help_text="source, address and licence as given"
            ),
        ),
        migrations.AddField(
            model_name="ingest",
            name="seen",
            field=models.JSONField(
                blank=True,
                default=dict,
                help_text="columns and first rows of a file that no format recognised",
            ),
        ),
        migrations.AlterField(
            model_name="ingest",
            name="source",
            field=models.ForeignKey(
                blank=True,
                help_text="null: the format's own, once the file is recognised",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="ingests",
                to="datasets_app.source",
            ),
        ),
        migrations.AlterField(
            model_name="ingest",
            name="state",
            field=models.CharField(
                choices=[
                    ("queued", "Queued"),
                    ("running", "Running"),
                    ("done", "Done"),
                    ("failed", "Failed"),
                    ("cancelled", "Cancelled"),
                ],
                db_index=True,
                default="queued",
                max_length=10,
            ),
        ),
    ]
