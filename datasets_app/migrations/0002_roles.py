"""The four roles as groups, so that an administrator hands them out in the admin."""

from django.db import migrations

NAMES = ["reader", "annotator", "curator", "administrator"]


def make(apps, schema_editor):
    group = apps.get_model("auth", "Group")
    for name in NAMES:
        group.objects.get_or_create(name=name)


def remove(apps, schema_editor):
    apps.get_model("auth", "Group").objects.filter(name__in=NAMES).delete()


class Migration(migrations.Migration):
    dependencies = [("datasets_app", "0001_initial"), ("auth", "0012_alter_user_first_name_max_length")]
    operations = [migrations.RunPython(make, remove)]
