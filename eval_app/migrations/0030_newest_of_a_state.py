from django.db import migrations, models


class Migration(migrations.Migration):
    """The home page's lists, what runs and what was finished last, begin at their first row."""

    dependencies = [("eval_app", "0003_environments")]

    operations = [
        migrations.AddIndex(
            model_name="verification",
            index=models.Index(fields=["state", "-created_at", "-id"], name="verification_state_newest"),
        ),
        migrations.AddIndex(
            model_name="verification",
            index=models.Index(fields=["state", "-finished_at"], name="verification_finished"),
        ),
    ]
