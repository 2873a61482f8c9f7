from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    """What waits is sent turn by turn, as there is room in the broker."""

    dependencies = [("eval_app", "0030_newest_of_a_state")]

    operations = [
        migrations.AddField(
            model_name="verification",
            name="turn",
            field=models.PositiveSmallIntegerField(
                choices=[(0, "First"), (3, "Soon"), (6, "after the others")],
                default=0,
                help_text="lower ones are taken first",
            ),
        ),
        migrations.AddIndex(
            model_name="verification",
            index=models.Index(
                fields=["wanted_device", "sent_at", "turn", "created_at", "id"],
                condition=Q(state="queued"),
                name="verification_to_send",
            ),
        ),
    ]
