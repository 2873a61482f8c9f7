import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import eval_app.models.host


class Migration(migrations.Migration):
    """Hosts with a key each; a worker belongs to one, and its messages are numbered."""

    dependencies = [
        ("eval_app", "0040_turns"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="worker",
            name="sequence",
            field=models.BigIntegerField(
                default=0, help_text="of the newest message; an older one is a replay"
            ),
        ),
        migrations.CreateModel(
            name="Host",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "name",
                    models.CharField(
                        max_length=60,
                        unique=True,
                        validators=[
                            django.core.validators.RegexValidator(
                                "^[a-z0-9][a-z0-9-]{0,59}\\Z",
                                "lower-case letters, digits and hyphens, at most 60, the first one a letter or digit",
                            )
                        ],
                    ),
                ),
                (
                    "public_key",
                    models.CharField(
                        help_text="of its own Ed25519 key, in hex; it signs nothing", max_length=64
                    ),
                ),
                (
                    "kinds",
                    models.JSONField(
                        default=eval_app.models.host.every_kind,
                        help_text="kinds of device that it may report on",
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                (
                    "seen_at",
                    models.DateTimeField(
                        blank=True, help_text="when a message of it was last accepted", null=True
                    ),
                ),
                ("refused_at", models.DateTimeField(blank=True, null=True)),
                (
                    "refusal",
                    models.CharField(
                        blank=True,
                        help_text="why its newest messages were refused; empty once one is accepted",
                        max_length=500,
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["name"],
            },
        ),
        migrations.AddField(
            model_name="worker",
            name="host",
            field=models.ForeignKey(
                help_text="whose key it signs with",
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="workers",
                to="eval_app.host",
            ),
        ),
    ]
