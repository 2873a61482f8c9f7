import django.db.models.deletion
from django.db import migrations, models

# How long a text may be is checked before it is stored; the columns stay as they are.
BOUNDS = [
    migrations.AlterField("recipe", "description", models.TextField(blank=True, max_length=20_000)),
    migrations.AlterField("release", "notes", models.TextField(blank=True, max_length=20_000)),
    migrations.AlterField(
        "savedview",
        "query",
        models.TextField(
            blank=True,
            max_length=4_000,
            help_text="the parameters of the address: filter, sort, columns, density",
        ),
    ),
    migrations.AlterField(
        "auditentry",
        "actor_name",
        models.CharField(
            max_length=150,
            help_text="kept when the account goes; 'command' for the shell, 'site' for the site itself",
        ),
    ),
]


class Migration(migrations.Migration):
    """The audit log keeps how a request came in and by which token."""

    dependencies = [("datasets_app", "0121_refused_rows_kept")]

    operations = [
        migrations.AddField(
            "auditentry",
            "via",
            models.CharField(
                blank=True,
                max_length=10,
                choices=[("page", "Page"), ("api", "Api"), ("command", "Command"), ("site", "Site")],
                help_text="how it came in; empty: before this was kept",
            ),
        ),
        migrations.AddField(
            "auditentry",
            "token",
            models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                to="datasets_app.apitoken",
                help_text="the API token that was used",
            ),
        ),
        migrations.SeparateDatabaseAndState(state_operations=BOUNDS),
    ]
