from django.db import migrations

MOVED = [
    "VerificationReport",
    "MachineCode",
    "StageChange",
    "Finding",
    "Baseline",
    "Verification",
    "Environment",
]


class Migration(migrations.Migration):
    """Verifications and what hangs on them go to datasets_app: its next migration takes the renamed tables over."""

    dependencies = [("eval_app", "0050_hosts")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.AlterModelTable(name, f"datasets_app_{name.lower()}") for name in MOVED
            ],
            state_operations=[migrations.DeleteModel(name) for name in MOVED],
        )
    ]
