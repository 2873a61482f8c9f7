"""The tables that no model describes, the roles as groups, and the recipes that come with the project.

Triggers are created after every `migrate` (datasets_app/apps.py).
"""

from django.db import migrations

from datasets_app.curate.builtin import BUILTIN
from datasets_app.db import triggers
from datasets_app.db.text_index import index

ROLES = ["reader", "annotator", "curator", "administrator"]


def create_indexes(apps, schema_editor):
    connection = schema_editor.connection
    index.create(connection)
    triggers.create(connection)
    index.create_code(connection)
    index.merge_less(connection)


def drop_indexes(apps, schema_editor):
    connection = schema_editor.connection
    index.drop_code(connection)
    triggers.drop(connection)
    index.drop(connection)


def make_roles(apps, schema_editor):
    groups = apps.get_model("auth", "Group").objects
    for name in ROLES:
        groups.get_or_create(name=name)


def remove_roles(apps, schema_editor):
    apps.get_model("auth", "Group").objects.filter(name__in=ROLES).delete()


def store_recipes(apps, schema_editor):
    recipes = apps.get_model("datasets_app", "Recipe").objects
    versions = apps.get_model("datasets_app", "RecipeVersion").objects
    for name, fields in BUILTIN.items():
        recipe, _ = recipes.update_or_create(name=name, defaults={**fields, "builtin": True})
        versions.update_or_create(
            recipe=recipe, number=recipe.version, defaults={"definition": recipe.definition}
        )


def remove_recipes(apps, schema_editor):
    apps.get_model("datasets_app", "Recipe").objects.filter(builtin=True, name__in=BUILTIN).delete()


class Migration(migrations.Migration):
    dependencies = [("datasets_app", "0001_initial"), ("auth", "0012_alter_user_first_name_max_length")]

    operations = [
        migrations.RunPython(create_indexes, drop_indexes),
        migrations.RunPython(make_roles, remove_roles),
        migrations.RunPython(store_recipes, remove_recipes),
    ]
