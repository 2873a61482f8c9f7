"""Fingerprints are of a program's tokens now: those of its syntax tree are forgotten, and made again when asked for."""

from django.db import migrations


def forget(apps, schema_editor):
    for name in ("KernelFingerprint", "ProgramFingerprint"):
        apps.get_model("datasets_app", name).objects.all().delete()


class Migration(migrations.Migration):
    dependencies = [("datasets_app", "0060_neighbours_and_upkeep")]

    operations = [migrations.RunPython(forget, forget)]
