"""Tests of /api/v1/suggestions/ with a token: rows stored once, refused one by one, read and withdrawn."""

from uuid import uuid4

import pytest

from datasets_app.models import AuditEntry, Suggestion
from datasets_app.review import suggestions
from tests.api.clients import api, token_for
from tests.factories import make_sample, make_user

pytestmark = pytest.mark.django_db
URL = "/api/v1/suggestions/"


@pytest.fixture
def program():
    return api(token_for(make_user("annotator", "bot"), "read", "annotate"))


@pytest.fixture
def sample():
    return make_sample(reasoning="First a plan.\n\nWait, the tail is lost.\n")


def row(of, **fields):
    return {"sample": str(of.pk), "verdict": "reject", "words": "the tail is lost", **fields}


def send(program, *rows, name="critic", version="1"):
    return program.post(URL, {"name": name, "version": version, "suggestions": list(rows)})


def test_a_token_for_reading_sends_nothing(sample):
    assert send(api(), row(sample)).status_code == 403


def test_rows_are_stored_with_their_maker_and_the_same_again_stores_nothing_new(program, sample):
    span = {
        "sample": str(sample.pk),
        "text": "trace",
        "start": 15,
        "end": 19,
        "label": "wrong_claim",
        "words": "no",
    }
    rows = [row(sample, scores={"correctness": 1}, confidence=0.9), span]
    first, second = send(program, *rows), send(program, *rows)
    assert (first.status_code, second.status_code) == (201, 200)
    assert [one["state"] for one in first.json()["results"]] == ["stored", "stored"]
    assert [one["state"] for one in second.json()["results"]] == ["present", "present"]
    assert [one["id"] for one in first.json()["results"]] == [one["id"] for one in second.json()["results"]]
    shown = {one["kind"]: one for one in program.get(URL, {"sample": str(sample.pk)}).json()["results"]}
    assert (shown["verdict"]["maker"], shown["verdict"]["version"], shown["verdict"]["posted_by"]) == (
        "critic",
        "1",
        "bot",
    )
    assert shown["verdict"]["scores"] == {"correctness": 1}
    assert (shown["span"]["start"], shown["span"]["label"]) == (15, "wrong_claim")
    assert AuditEntry.objects.get(action="suggestion.post").detail["count"] == 2


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"verdict": "splendid"}, "A verdict is one of"),
        ({"verdict": ["reject"]}, "A verdict is one of"),
        ({"verdict": ""}, "Suggest a verdict, scores, or a span"),
        ({"words": ""}, "Say why"),
        ({"words": "a\x1b[31m"}, "invisible"),
        ({"words": "x" * 1001}, "at most 1,000"),
        ({"confidence": 2}, "from 0 to 1"),
        ({"confidence": True}, "from 0 to 1"),
        ({"confidence": "high"}, "from 0 to 1"),
        ({"scores": {"charm": 3}}, "not a criterion"),
        ({"scores": {"correctness": 9}}, "1 to 5"),
        ({"scores": [1]}, "Scores are an object"),
        ({"sample": "nonsense"}, "no such sample"),
        ({"sample": str(uuid4())}, "no such sample"),
        ({"reason": "x"}, "no field reason"),
        ({"text": "trace", "label": "race", "start": 0, "end": 3}, "send two"),
        ({"verdict": "", "text": "trace", "label": "charm", "start": 0, "end": 3}, "has a label"),
        ({"verdict": "", "text": "trace", "label": ["race"], "start": 0, "end": 3}, "has a label"),
        ({"verdict": "", "text": "trace", "label": "race"}, "whole numbers"),
        ({"verdict": "", "text": "trace", "label": "race", "start": 0, "end": 10**9}, "39 characters"),
        ({"verdict": "", "text": "letter", "label": "race", "start": 0, "end": 3}, "is on one of"),
        ({"verdict": "", "text": ["trace"], "label": "race", "start": 0, "end": 3}, "is on one of"),
        ({"verdict": "", "text": "trace", "label": "race", "start": 0, "end": 3, "digest": "00"}, "replaced"),
    ],
)
def test_a_bad_row_is_refused_with_a_sentence_and_the_others_are_stored(program, sample, fields, sentence):
    refused, stored = send(program, row(sample, **fields), row(make_sample())).json()["results"]
    assert (refused["state"], refused["id"], stored["state"]) == ("refused", None, "stored")
    assert sentence in refused["error"]
    assert Suggestion.objects.count() == 1


@pytest.mark.parametrize(
    "body",
    [
        {"name": "", "version": "1", "suggestions": [{}]},
        {"name": "critic", "version": " ", "suggestions": [{}]},
        {"name": "critic", "version": 1, "suggestions": [{}]},
        {"name": "x" * 81, "version": "1", "suggestions": [{}]},
        {"name": "cri\u202etic", "version": "1", "suggestions": [{}]},
        {"name": "critic", "version": "1", "suggestions": []},
        {"name": "critic", "version": "1", "suggestions": [{}] * (suggestions.MOST_POSTED + 1)},
        {"name": "critic", "version": "1"},
        [],
    ],
)
def test_a_request_without_a_name_a_version_or_a_fitting_list_is_refused(program, body):
    assert program.post(URL, body).status_code == 400
    assert not Suggestion.objects.exists()


def test_rows_that_are_no_objects_are_refused_one_by_one(program, sample):
    states = [one["state"] for one in send(program, "x", None, row(sample)).json()["results"]]
    assert states == ["refused", "refused", "stored"]


def test_one_version_says_one_thing_and_belongs_to_one_account(program, sample):
    send(program, row(sample))
    assert "under a new version" in send(program, row(sample, verdict="fix")).json()["results"][0]["error"]
    other = api(token_for(make_user("annotator"), "read", "annotate"))
    assert "Another account" in send(other, row(sample)).json()["results"][0]["error"]
    assert send(program, row(sample, verdict="fix"), version="2").status_code == 201


def test_a_sample_takes_a_bounded_number_of_suggestions(program, sample, monkeypatch):
    monkeypatch.setattr("datasets_app.review.suggestions.posted.MOST_PER_SAMPLE", 2)
    for version in "12":
        send(program, row(sample), version=version)
    assert "as many as one may" in send(program, row(sample), version="3").json()["results"][0]["error"]


def test_its_account_and_curators_withdraw_a_suggestion_and_nobody_else(program, sample):
    pk = send(program, row(sample)).json()["results"][0]["id"]
    other = api(token_for(make_user("annotator"), "read", "annotate"))
    assert other.post(f"{URL}{pk}/withdraw/").status_code == 403
    assert program.post(f"{URL}{pk}/withdraw/").json()["withdrawn_at"]
    curator = api(token_for(make_user("curator"), "read", "annotate", "curate"))
    assert curator.post(f"{URL}{pk}/withdraw/").status_code == 200
    assert AuditEntry.objects.filter(action="suggestion.withdraw").count() == 1
    assert "You withdrew" in send(program, row(sample)).json()["results"][0]["error"]


def test_the_list_is_filtered_and_refuses_an_unknown_value(program, sample):
    send(program, row(sample))
    send(program, row(sample), name="other")
    assert len(program.get(URL, {"maker": "critic"}).json()["results"]) == 1
    assert len(program.get(URL, {"posted_by": "bot"}).json()["results"]) == 2
    assert program.get(URL, {"kind": "charm"}).status_code == 400


def test_many_rows_cost_as_many_queries_as_one(program, django_assert_max_num_queries):
    rows = [row(make_sample()) for _ in range(20)]
    send(program, row(make_sample()))
    with django_assert_max_num_queries(16):
        assert send(program, *rows).status_code == 201
