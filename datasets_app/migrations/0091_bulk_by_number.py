from django.db import migrations, models


class Migration(migrations.Migration):
    """Bulk actions go by the samples' numbers: each group changes one block of the counts, not all of them."""

    dependencies = [("datasets_app", "0090_substrings_of_code")]

    operations = [
        migrations.RemoveField("bulkaction", "last_id"),
        migrations.AddField(
            "bulkaction",
            "last_number",
            models.BigIntegerField(default=0, help_text="progress: number of the last sample gone through"),
        ),
    ]
