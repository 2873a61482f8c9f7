"""Tests that rows inserted without objects get the ORM's defaults, types and triggers."""

import uuid

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from datasets_app.db import bulk_insert
from datasets_app.db.bulk_insert import insert
from datasets_app.models import Operator, Sample, Source, Task, TaskBody
from datasets_app.models.identity import task_id
from tests.factories import PROGRAM

pytestmark = pytest.mark.django_db
NASTY = "tab\t, line\n, back\\slash \\N \\., quote ' \" and é 🙂 \u2028"


def insert_tasks(names: list[str]) -> None:
    source = Source.objects.get_or_create(name="ours")[0]
    rows = [
        (task_id(PROGRAM.format(number=n)), name, source.pk, timezone.now()) for n, name in enumerate(names)
    ]
    insert(Task, ("id", "name", "source_id", "created_at"), rows)


def test_columns_that_are_not_named_get_their_defaults():
    insert_tasks(["one"])
    task = Task.objects.get()
    assert (task.name, task.kind, task.suite, task.level, task.admission) == ("one", "other", "", None, None)


def test_every_character_comes_back_as_it_went_in():
    insert_tasks([NASTY[:200]])
    insert(
        TaskBody, ("task_id", "pytorch_code", "extra"), [(Task.objects.get().pk, NASTY, {"a": [NASTY, 1.5]})]
    )
    body = TaskBody.objects.get()
    assert (Task.objects.get().name, body.pytorch_code, body.extra) == (NASTY, NASTY, {"a": [NASTY, 1.5]})


def test_numbers_that_the_database_gives_are_left_to_it():
    insert(Operator, ("name",), [("relu",), ("gelu",)])
    assert len(set(Operator.objects.values_list("pk", flat=True))) == 2


def test_no_rows_are_no_statement(django_assert_num_queries):
    with django_assert_num_queries(0):
        insert(Operator, ("name",), [])


def test_a_constraint_holds():
    with pytest.raises(IntegrityError), transaction.atomic():
        insert(Operator, ("name",), [("relu",), ("relu",)])


def test_on_sqlite_a_statement_has_no_more_parameters_than_it_may(monkeypatch):
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL takes rows by COPY")
    monkeypatch.setattr(bulk_insert, "most_parameters", lambda: 7)
    with CaptureQueriesContext(
        connection,
    ) as seen:
        insert(Operator, ("name",), [(f"operator {number}",) for number in range(20)])
    assert len(seen) == 3
    assert Operator.objects.count() == 20


def test_a_value_that_stands_in_many_rows_is_the_same_in_each_of_them():
    insert_tasks(["one", "two", "three"])
    first, second, third = (task.pk for task in Task.objects.order_by("name"))
    extras = {first: {}, second: {"a": 1}, third: {"a": 1.5}}
    insert(TaskBody, ("task_id", "pytorch_code", "extra"), [(pk, "x", extra) for pk, extra in extras.items()])
    assert dict(TaskBody.objects.values_list("task_id", "extra")) == extras


def test_equal_values_of_other_types_are_not_taken_for_one_another():
    insert_tasks(["one", "two", "three"])
    ids = [task.pk for task in Task.objects.order_by("name")]
    given = [{"a": 1}, {"a": True}, {"a": 1.0}]
    insert(
        TaskBody,
        ("task_id", "pytorch_code", "extra"),
        [(pk, "x", extra) for pk, extra in zip(ids, given, strict=True)],
    )
    stored = dict(TaskBody.objects.values_list("task_id", "extra"))
    assert [type(stored[pk]["a"]) for pk in ids] == [int, bool, float]


def test_an_id_that_is_missing_stays_missing():
    insert_tasks(["one"])
    task, pk = Task.objects.get(), uuid.uuid4()
    names = ("id", "task_id", "source_id", "parent_id", "language", "has_trace", "created_at")
    insert(Sample, names, [(pk, task.pk, task.source_id, None, "cuda", False, timezone.now())])
    assert Sample.objects.values_list("pk", "task_id", "parent_id").get() == (pk, task.pk, None)
