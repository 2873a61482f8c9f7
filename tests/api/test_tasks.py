import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from datasets_app.models import Operator
from tests.factories import make_sample, make_source, make_task

pytestmark = pytest.mark.django_db


def rows(client, query=""):
    response = client.get(f"/api/v1/tasks/?{query}")
    assert response.status_code == 200, response.content
    return response.json()["results"]


def test_a_row_says_what_the_task_is_and_how_many_samples_it_has(reader):
    task = make_task(name="softmax")
    task.operators.add(Operator.objects.create(name="softmax"))
    make_sample(task)
    make_sample(task, outcome="passed", verified_at=timezone.now())
    make_task(name="zeta")
    first, second = rows(reader)
    assert (first["name"], first["sample_count"], first["passed_count"]) == ("softmax", 2, 1)
    assert first["operators"] == ["softmax"]
    assert (second["sample_count"], second["passed_count"]) == (0, 0)
    assert "pytorch_code" not in first


def test_one_task_adds_its_program(reader):
    task = make_task()
    body = reader.get(f"/api/v1/tasks/{task.pk}/").json()
    assert body["pytorch_code"] == task.body.pytorch_code
    assert body["admission"] is None


def test_tasks_are_filtered_by_what_speaks_of_tasks(reader):
    task = make_task(
        "import torch  # rare_word", name="wanted", kind="scan", suite="Bench", source=make_source("s")
    )
    task.operators.add(Operator.objects.create(name="cumsum"))
    make_task()
    for query in ("kind=scan", "suite=Bench", "source=s", "operator=cumsum", "q=rare_word", "task=want"):
        assert [row["name"] for row in rows(reader, query)] == ["wanted"], query


@pytest.mark.parametrize(
    ("query", "name"), [("outcome=passed", "outcome"), ("kind=nice", "kind"), ("x=1", "x")]
)
def test_a_filter_that_is_none_of_tasks_is_refused(reader, query, name):
    response = reader.get(f"/api/v1/tasks/?{query}")
    assert response.status_code == 400
    assert set(response.json()["errors"]) == {name}


def test_pages_go_on_by_name(reader):
    for name in "abc":
        make_task(name=name)
    body = reader.get("/api/v1/tasks/?limit=2").json()
    assert [row["name"] for row in body["results"]] == ["a", "b"]
    assert [row["name"] for row in reader.get(body["next"]).json()["results"]] == ["c"]


def test_a_list_costs_the_same_queries_whatever_the_rows_and_reads_no_program(reader):
    make_sample()
    with CaptureQueriesContext(connection) as few:
        rows(reader)
    for _ in range(15):
        make_sample()
    with CaptureQueriesContext(connection) as many:
        assert len(rows(reader)) == 16
    assert len(many) == len(few)
    assert not any("datasets_app_taskbody" in captured["sql"] for captured in many)
