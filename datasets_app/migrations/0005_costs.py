"""What a synthesis and its further turns may cost, and the log-probabilities of answers."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("datasets_app", "0004_counters_and_cost"),
    ]

    operations = [
        migrations.AddField(
            model_name="candidate",
            name="logprobs",
            field=models.JSONField(
                blank=True,
                help_text="each token of the answer with its log-probability; null: not asked for",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="loop",
            name="most_cost",
            field=models.FloatField(
                blank=True, help_text="of all turns, the judge's included; null: no limit", null=True
            ),
        ),
        migrations.AddField(
            model_name="synthesis",
            name="most_cost",
            field=models.FloatField(
                blank=True,
                help_text="in the endpoint's currency, the judge's included; null: no limit",
                null=True,
            ),
        ),
        migrations.AlterField(
            model_name="candidate",
            name="cost",
            field=models.FloatField(
                blank=True,
                help_text="as stated or by CONCUR_PRICES, the judge's included; null: not known",
                null=True,
            ),
        ),
        migrations.AlterField(
            model_name="ingest",
            name="seen",
            field=models.JSONField(
                blank=True,
                default=dict,
                help_text="columns and first rows of a file that no format recognised; of one that was read, its "
                "columns without a field, and faulty values without which rows were stored",
            ),
        ),
        migrations.AlterField(
            model_name="loop",
            name="ended_by",
            field=models.CharField(
                blank=True,
                choices=[
                    ("good_enough", "every candidate passed and is fast enough"),
                    ("turns", "it had all its turns"),
                    ("no_gain", "its last turns brought no gain"),
                    ("budget", "its budget is used"),
                    ("nothing_to_ask", "no candidate has a verdict to go on from"),
                ],
                help_text="the rule that ended it",
                max_length=20,
            ),
        ),
    ]
