"""Whether verifications of a synthesis or of further turns collect counters, and what answers cost."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("datasets_app", "0001_squashed_0003_claim_ratio")]

    operations = [
        migrations.AddField(
            model_name="candidate",
            name="cost",
            field=models.FloatField(
                null=True,
                blank=True,
                help_text="as the endpoint states it, the judge's included; null: it states none",
            ),
        ),
        migrations.AddField(
            model_name="loop",
            name="inspect",
            field=models.BooleanField(
                default=False, help_text="verifications collect SASS and the profiler's counters"
            ),
        ),
        migrations.AddField(
            model_name="synthesis",
            name="inspect",
            field=models.BooleanField(
                default=False, help_text="its verifications collect SASS and the profiler's counters"
            ),
        ),
    ]
