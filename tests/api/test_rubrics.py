"""Tests of /api/v1/rubric/ with a token."""

import pytest
from django.test import Client

from datasets_app.accounts import api_tokens
from datasets_app.accounts.actor import COMMAND
from datasets_app.review.rubric import current_rubric
from tests.factories import make_sample, make_user
from tests.review.test_rubric import definition

pytestmark = pytest.mark.django_db
URL = "/api/v1/rubric/"


def client_of(role, scope):
    text = api_tokens.make_token(make_user(role), [scope], actor=COMMAND)[1]
    return Client(headers={"Authorization": f"Bearer {text}"})


@pytest.fixture
def curator():
    return client_of("curator", "curate")


def send(api, **changes):
    body = {**definition(), "based_on": 1, **changes}
    return api.post(URL, body, content_type="application/json")


def test_an_annotator_reads_versions_and_a_reader_does_not():
    annotator = client_of("annotator", "annotate")
    assert [row["number"] for row in annotator.get(URL).json()["results"]] == [1]
    version = annotator.get(f"{URL}1/").json()
    assert version["criteria"][0]["name"] == "correctness"
    assert annotator.get(f"{URL}99999999999/").status_code == 404
    assert client_of("reader", "read").get(URL).status_code == 403
    assert send(annotator, guidelines="Mine.").status_code == 403


def test_a_curator_publishes_and_an_older_rubric_answers_a_conflict(curator):
    assert send(curator, guidelines="Read twice.").json()["number"] == 2
    assert current_rubric().guidelines == "Read twice."
    assert send(curator, guidelines="Thrice.").status_code == 409
    given = {"sample": str(make_sample().pk), "verdict": "accept", "rubric": 1}
    annotator = client_of("annotator", "annotate")
    answer = annotator.post("/api/v1/reviews/", given, content_type="application/json")
    assert answer.status_code == 409
    assert "Version 2 of the rubric" in answer.json()["detail"]


def test_faults_are_reported_by_place(curator):
    answer = send(curator, criteria=[{"name": "x", "title": "X", "key": "s"}], note="")
    assert answer.status_code == 400
    assert {"criteria.0.key", "criteria.0.low", "note"} <= set(answer.json()["errors"])


@pytest.mark.parametrize("value", [None, 5, "x", [[]], {"a": 1}, [None], [{"key": {}}]])
@pytest.mark.parametrize("field", ["criteria", "reasons", "reason_required_for", "guidelines", "note"])
def test_any_json_gets_an_answer(curator, field, value):
    assert send(curator, **{field: value}).status_code in (201, 400)
