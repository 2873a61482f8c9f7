"""Tests of /api/v1/notes/ with a token."""

from uuid import uuid4

import pytest
from django.test import Client

from datasets_app.accounts import api_tokens
from datasets_app.accounts.actor import COMMAND
from datasets_app.models import Note, SampleBody
from datasets_app.review import notes
from tests.factories import acting, make_sample, make_user

pytestmark = pytest.mark.django_db
URL = "/api/v1/notes/"
TRACE = "First a plan.\n\nWait, the tail is lost.\n"


def client_of(user, scope="annotate"):
    text = api_tokens.make_token(user, [scope], actor=COMMAND)[1]
    return Client(headers={"Authorization": f"Bearer {text}"})


@pytest.fixture
def ada():
    return make_user("annotator", "ada")


@pytest.fixture
def api(ada):
    return client_of(ada)


@pytest.fixture
def sample():
    return make_sample(reasoning=TRACE)


@pytest.fixture
def note(sample, ada):
    return notes.create_note(sample, acting(ada), [notes.Place("trace", 0, 5)], "key_insight", "see @ada")


def send(api, sample, anchors=({"text": "trace", "start": 15, "end": 20},), **fields):
    body = {"sample": str(sample.pk), "label": "race", "anchors": list(anchors), **fields}
    return api.post(URL, body, content_type="application/json")


def enter(api, note, **fields):
    return api.post(f"{URL}{note.pk}/entries/", fields, content_type="application/json")


def test_a_note_is_stored_and_given_back_with_its_thread(api, sample):
    answer = send(api, sample, comment="look", key=str(uuid4()))
    assert answer.status_code == 201
    body = answer.json()
    assert (body["author"], body["label"], body["state"]) == ("ada", "race", "open")
    assert body["anchors"] == [
        {"text": "trace", "start": 15, "end": 20, "digest": notes.digest_of(TRACE), "quote": "Wait,"}
    ]
    assert [(entry["kind"], entry["text"]) for entry in body["entries"]] == [("comment", "look")]
    assert api.get(f"{URL}{body['id']}/").json() == body


def test_lines_name_a_place_as_well_and_two_places_are_tied(api, sample):
    anchors = [{"text": "trace", "first": 3}, {"text": "kernel", "first": 5, "last": 6, "last_column": 4}]
    spans = [(one["text"], one["quote"]) for one in send(api, sample, anchors).json()["anchors"]]
    assert spans == [("trace", "Wait, the tail is lost."), ("kernel", "class ModelNew(nn.Module):\n    ")]


def test_the_same_key_again_answers_the_same_note_and_other_content_is_refused(api, sample):
    key = str(uuid4())
    codes = [send(api, sample, key=key).status_code, send(api, sample, key=key).status_code]
    assert codes == [201, 200]
    assert send(api, sample, key=key, label="bounds").status_code == 409
    assert Note.objects.count() == 1


@pytest.mark.parametrize(
    ("anchor", "sentence"),
    [
        ({"text": "trace", "start": 0, "end": 999}, "a span begins at 0 or later"),
        ({"text": "trace", "start": 0}, "Give `start` and `end`"),
        ({"text": "trace", "start": 0, "end": 1, "first": 1}, "Give `start` and `end`"),
        ({"text": "trace", "first": 99}, "There is no line 99"),
        ({"text": "prose", "first": 1}, "is not a valid choice"),
    ],
)
def test_a_place_that_does_not_exist_is_refused_with_a_sentence(api, sample, anchor, sentence):
    answer = send(api, sample, [anchor])
    assert answer.status_code == 400
    assert sentence in answer.content.decode()


def test_a_span_of_a_replaced_text_is_a_conflict(api, sample):
    SampleBody.objects.filter(sample=sample).update(reasoning="Another trace.")
    answer = send(api, sample, [{"text": "trace", "start": 0, "end": 5, "digest": notes.digest_of(TRACE)}])
    assert (answer.status_code, Note.objects.count()) == (409, 0)
    assert "was replaced" in answer.json()["detail"]


def test_a_thread_is_answered_edited_resolved_reopened_and_withdrawn(api, note):
    for fields, state in (
        ({"kind": "answer", "text": "yes"}, "open"),
        ({"kind": "edit", "text": "see below", "seen": 0}, "open"),
        ({"kind": "resolve"}, "resolved"),
        ({"kind": "reopen"}, "open"),
        ({"kind": "withdraw", "text": "misread"}, "withdrawn"),
    ):
        answer = enter(api, note, **fields)
        assert (answer.status_code, answer.json()["state"]) == (201, state)
    assert [entry["kind"] for entry in answer.json()["entries"]] == [
        "comment",
        "answer",
        "edit",
        "resolve",
        "reopen",
        "withdraw",
    ]
    assert enter(api, note, kind="answer", text="late").status_code == 409


def test_another_ones_text_is_neither_edited_nor_withdrawn(note):
    ben = client_of(make_user("annotator", "ben"))
    assert enter(ben, note, kind="edit", text="mine").status_code == 400
    assert enter(ben, note, kind="withdraw", text="no").status_code == 403


def test_a_token_that_may_only_read_writes_nothing(ada, sample, note):
    reading = client_of(ada, "read")
    assert send(reading, sample).status_code == enter(reading, note, kind="resolve").status_code == 403
    assert reading.get(URL).status_code == 200


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("", 2),
        ("?state=open", 1),
        ("?state=resolved", 1),
        ("?state=withdrawn", 0),
        ("?label=key_insight", 1),
        ("?mentions=ada", 1),
        ("?author=ada", 2),
        ("?author=ben", 0),
    ],
)
def test_the_list_is_filtered(api, sample, note, query, count):
    other = send(api, sample, label="bounds").json()["id"]
    enter(api, Note.objects.get(pk=other), kind="resolve")
    assert len(api.get(URL + query).json()["results"]) == count


def test_the_list_takes_as_many_queries_for_one_note_as_for_many(
    api, sample, note, django_assert_max_num_queries
):
    for _ in range(5):
        send(api, sample, comment="see @ada")
    with django_assert_max_num_queries(8):
        assert len(api.get(URL).json()["results"]) == 6


def test_in_blind_review_other_peoples_notes_are_not_listed(sample, note, settings):
    settings.REVIEW_BLIND = True
    ben = client_of(make_user("annotator", "ben"))
    assert ben.get(URL).json()["results"] == []
    assert ben.get(f"{URL}{note.pk}/").status_code == 404
