"""Tests of the first migration's operation, which creates its tables at once."""

import pytest
from django.db import connection, migrations, models
from django.db.migrations.state import ProjectState

from datasets_app.db.create_tables import CreateTables

KEY = ("id", models.BigAutoField(primary_key=True))
OPERATIONS = [
    migrations.CreateModel("First", [KEY, ("size", models.IntegerField())]),
    migrations.CreateModel("Second", [KEY, ("first", models.ForeignKey("tried.First", models.CASCADE))]),
    migrations.AddField("First", "second", models.ForeignKey("tried.Second", models.CASCADE, null=True)),
    migrations.AddIndex("First", models.Index(fields=["size"], name="first_by_size")),
    migrations.AddConstraint(
        "Second", models.UniqueConstraint(fields=["first"], name="one_second_of_a_first")
    ),
]


def tables() -> set[str]:
    return {name for name in connection.introspection.table_names() if name.startswith("tried_")}


def test_the_state_is_that_of_the_operations_one_after_the_other():
    at_once, one_by_one = ProjectState(), ProjectState()
    CreateTables(OPERATIONS).state_forwards("tried", at_once)
    for operation in OPERATIONS:
        operation.state_forwards("tried", one_by_one)
    assert at_once == one_by_one


@pytest.mark.django_db(transaction=True)
def test_the_tables_have_what_was_added_to_them_and_go_again():
    operation, before, after = CreateTables(OPERATIONS), ProjectState(), ProjectState()
    operation.state_forwards("tried", after)
    with connection.schema_editor() as editor:
        operation.database_forwards("tried", editor, before, after)
    try:
        assert tables() == {"tried_first", "tried_second"}
        with connection.cursor() as cursor:
            columns = [
                one.name for one in connection.introspection.get_table_description(cursor, "tried_first")
            ]
            names = {
                name
                for table in sorted(tables())
                for name in connection.introspection.get_constraints(cursor, table)
            }
        assert columns == ["id", "size", "second_id"]
        assert {"first_by_size", "one_second_of_a_first"} <= names
    finally:
        with connection.schema_editor() as editor:
            operation.database_backwards("tried", editor, after, before)
    assert not tables()
