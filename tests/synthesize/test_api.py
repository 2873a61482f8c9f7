"""Tests of /api/v1/syntheses/: ask by token, follow, read candidates, go on."""

import pytest

from datasets_app.models import Synthesis
from datasets_app.synthesize.run import run_synthesis
from tests.factories import make_task
from tests.ingest.test_api import client_with
from tests.synthesize.model_server import streams

pytestmark = pytest.mark.django_db
URL = "/api/v1/syntheses/"
ASK = {"name": "first", "endpoint": "local", "model": "m", "per_task": 2, "sampling": {"temperature": 0.5}}


@pytest.fixture
def curator():
    return client_with("curator", "read", "curate")


def post(client, url, body):
    return client.post(url, body, content_type="application/json")


def test_a_program_asks_follows_and_reads_what_became_of_each(curator, server):
    make_task()
    asked = post(curator, URL, ASK)
    assert asked.status_code == 202
    assert asked.json()["candidates"] == {"waiting": 2, "stored": 0, "refused": 0, "failed": 0}
    server.answers = [streams("No.")]
    run_synthesis(asked.json()["id"])
    done = curator.get(asked.headers["Location"]).json()
    assert (done["state"], done["sampling"]) == ("done", {"temperature": 0.5})
    assert done["candidates"] == {"waiting": 0, "stored": 1, "refused": 1, "failed": 0}
    rows = curator.get(f"{URL}{done['id']}/candidates/").json()["results"]
    refused = next(row for row in rows if row["state"] == "refused")
    stored = next(row for row in rows if row["state"] == "stored")
    assert (refused["reason"], refused["sample"]) == ("no_code_block", None)
    assert curator.get(f"{URL}{done['id']}/candidates/{refused['id']}/").json()["answer"] == "No."
    assert curator.get(f"/api/v1/samples/{stored['sample']}/").json()["generator"] == "m"
    again = post(curator, f"{URL}{done['id']}/continue/", {})
    assert again.status_code == 409
    assert "nothing is left" in again.json()["detail"]
    assert post(curator, f"{URL}{done['id']}/cancel/", {}).status_code == 409


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"endpoint": "moon"}, "No endpoint is called"),
        ({"template": "poem"}, "poem"),
        ({"sampling": {"temperature": "hot"}}, "temperature should be a number"),
        ({"sampling": {"temperature": 5}}, "must be from 0.0 to 2.0"),
        ({"per_task": 0}, "greater than or equal to 1"),
        ({"at_once": 0}, "greater than or equal to 1"),
    ],
)
def test_what_cannot_be_asked_for_is_refused(curator, server, change, why):
    make_task()
    answer = post(curator, URL, ASK | change)
    assert answer.status_code == 400
    assert why in answer.content.decode()
    assert not Synthesis.objects.exists()


def test_asking_needs_the_scope_curate(server):
    make_task()
    assert post(client_with("curator", "read"), URL, ASK).status_code == 403
    assert post(client_with("annotator", "read", "annotate"), URL, ASK).status_code == 403
    assert client_with("reader", "read").get(URL).status_code == 200


def test_a_cancelled_one_goes_on_with_another_limit(curator, server):
    make_task()
    pk = post(curator, URL, ASK | {"most_tokens": 5}).json()["id"]
    assert post(curator, f"{URL}{pk}/cancel/", {}).json()["state"] == "cancelled"
    again = post(curator, f"{URL}{pk}/continue/", {"most_tokens": 900})
    assert (again.status_code, again.json()["most_tokens"], again.json()["state"]) == (202, 900, "queued")


def test_the_list_counts_all_candidates_in_one_query(curator, server, ended, django_assert_max_num_queries):
    for number in range(4):
        ended(tasks=1, name=f"number-{number}")
    with django_assert_max_num_queries(6):
        rows = curator.get(URL).json()["results"]
    assert [row["candidates"]["stored"] for row in rows] == [1, 1, 1, 1]
