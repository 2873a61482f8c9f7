from django.db import migrations, models


class Migration(migrations.Migration):
    """A bulk action may be asked for before its samples are counted; its undo ends without its rows going at once."""

    dependencies = [("datasets_app", "0092_merge_less")]

    operations = [
        migrations.AddField(
            "bulkaction",
            "counted",
            models.BooleanField(default=True, help_text="else total is a lower bound until it begins"),
        ),
        migrations.AddField(
            "bulkaction",
            "expected",
            models.PositiveIntegerField(
                blank=True, null=True, help_text="it is refused if another number of samples matches"
            ),
        ),
        migrations.AddField(
            "bulkaction",
            "undo_ended",
            models.BooleanField(default=False, help_text="what it changed need not be known any longer"),
        ),
    ]
