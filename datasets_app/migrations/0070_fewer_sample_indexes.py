import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """Two indexes of samples that other indexes begin with: every new row paid for them."""

    dependencies = [("datasets_app", "0061_fingerprints_of_tokens")]

    operations = [
        migrations.AlterField(
            model_name="sample",
            name=name,
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="samples",
                to=f"datasets_app.{name}",
            ),
        )
        for name in ("task", "source")
    ]
