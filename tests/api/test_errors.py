"""Tests that the API answers any input in JSON with a message, and stores nothing invalid."""

import json
from html import unescape

import pytest
from django.test import Client

from datasets_app.api import recipes as recipes_api
from datasets_app.api.parsers import MOST_BYTES, MOST_DEPTH
from datasets_app.models import Recipe, Tag
from tests.api.clients import token_for
from tests.factories import make_user

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_collection")]


@pytest.fixture
def send():
    headers = {
        "Authorization": f"Bearer {token_for(make_user('administrator'), 'read', 'annotate', 'curate', 'admin')}"
    }
    client = Client(raise_request_exception=False, headers=headers)

    def sent(body, path="/api/v1/recipes/", content_type="application/json", method="POST", **more):
        return client.generic(method, path, body, content_type=content_type, **more)

    return sent


def detail(answer):
    assert answer["Content-Type"].startswith("application/problem+json")
    assert isinstance(answer.json()["detail"], str)
    return answer.json()["detail"]


DEEP = b"[" * 100_000 + b"]" * 100_000


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"{", "not JSON"),
        (b"NaN", "not JSON"),
        (b'{"name": 1e999}', "not JSON"),
        (b'{"name": "\\ud800"}', "not JSON"),
        (b'{"\\udfff": 1}', "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b'{"name": "\xed\xa0\x80"}', "not JSON"),
        (DEEP, "not JSON"),
        (b'{"a":' * 900 + b"1" + b"}" * 900, f"more than {MOST_DEPTH} levels deep"),
    ],
)
def test_what_is_no_json_that_can_be_stored_is_400(send, body, says):
    answer = send(body)
    assert answer.status_code == 400
    assert says in detail(answer)


@pytest.mark.parametrize("body", [b"[]", b'"text"', b"1", b"null", b"true"])
def test_json_that_is_no_object_is_400(send, body):
    answer = send(body)
    assert answer.status_code == 400
    detail(answer)


def test_a_nul_character_is_refused_with_its_field_named(send):
    answer = send(json.dumps({"name": "x", "definition": {"rules": [{"rule": "a\x00b"}]}}))
    assert answer.status_code == 400
    assert "definition.rules.0.rule" in answer.json()["errors"]
    assert "NUL" in answer.json()["errors"]["definition.rules.0.rule"][0]


def test_a_body_that_is_too_large_is_413_and_names_the_bound(send):
    answer = send(b" " * (MOST_BYTES + 1))
    assert answer.status_code == 413
    assert f"{MOST_BYTES:,}" in detail(answer)


@pytest.mark.parametrize(
    "content_type",
    [
        "text/plain",
        "application/xml",
        "nonsense",
        "application/json2",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
    ],
)
def test_another_kind_of_body_is_415(send, content_type):
    answer = send(b"{}", content_type=content_type)
    assert answer.status_code == 415
    detail(answer)


def test_an_answer_that_is_not_json_is_not_to_be_had(send):
    answer = send(b"", "/api/v1/tags/", method="GET", headers={"Accept": "text/html"})
    assert answer.status_code == 406
    detail(answer)


@pytest.mark.parametrize("path", ["/api/", "/api/v1/nothing/", "/api/v2/samples/", "/api/v1/samples/x/"])
def test_an_unknown_address_is_404_in_json(send, path):
    answer = send(b"", path, method="GET")
    assert answer.status_code == 404
    detail(answer)


def test_an_error_is_a_problem_with_its_title_and_its_status(send):
    answer = send(json.dumps({"definition": {}}))
    problem = answer.json()
    assert answer["Content-Type"] == "application/problem+json"
    assert (problem["type"], problem["title"], problem["status"]) == ("about:blank", "Bad Request", 400)
    assert problem["errors"] == {"name": ["This field is required."]}


def test_errors_inside_lists_are_named_by_their_path(send):
    anchors = [{"text": "kernel", "start": "x", "end": 1}]
    answer = send(json.dumps({"anchors": anchors}), "/api/v1/notes/")
    assert "anchors.0.start" in answer.json()["errors"]


def test_the_root_names_the_collections_with_their_addresses(send):
    root = send(b"", "/api/v1/", method="GET").json()
    assert {"samples", "tasks", "releases", "verifications", "edits", "stats", "schema"} <= set(root)
    for name, address in root.items():
        if name not in ("schema", "docs"):
            assert send(b"", address.removeprefix("http://testserver"), method="GET").status_code == 200, name


def test_an_unknown_address_is_404_in_json_to_a_stranger_too():
    assert "detail" in Client().get("/api/v1/nothing/").json()


def test_a_method_that_is_not_there_is_405_with_those_that_are(send):
    answer = send(b"", "/api/v1/tasks/", method="DELETE")
    assert answer.status_code == 405
    assert answer["Allow"] == "GET, HEAD, OPTIONS"
    detail(answer)


def test_a_fault_of_ours_is_500_in_json_with_an_id_that_the_log_has(send, monkeypatch, caplog):
    def broken(*args, **kwargs):
        raise RuntimeError("broken on purpose")

    monkeypatch.setattr(recipes_api.recipes, "save", broken)
    answer = send(json.dumps({"name": "x", "definition": {}}))
    assert answer.status_code == 500
    assert "our side" in detail(answer)
    assert "broken on purpose" not in answer.content.decode()
    assert answer.json()["id"] in caplog.text


def test_a_fault_of_ours_on_a_page_shows_the_same_id(reader, monkeypatch, caplog):
    from datasets_app.views import tags as views

    monkeypatch.setattr(views, "changeable_tags", lambda actor: 1 / 0)
    reader.raise_request_exception = False
    page = reader.get("/browse/tags/")
    assert page.status_code == 500
    identifier = caplog.text.partition("error ")[2].partition(":")[0]
    assert f"<code>{identifier}</code>" in page.content.decode()


@pytest.mark.parametrize("path", ["/api/v1/recipes/concur/", "/api/v1/tags/", "/api/v1/samples/"])
def test_options_say_the_methods(send, path):
    answer = send(b"", path, method="OPTIONS")
    assert answer.status_code == 200
    assert "GET" in answer.json()["methods"]


def test_a_tags_name_of_60_kb_is_refused_wherever_it_is_sent(send, annotator):
    Tag.objects.create(name="fast")  # an over-long name is refused before it is compared with this one
    name = "x" * 60_000
    assert send(json.dumps({"name": name}), "/api/v1/tags/").status_code == 400
    assert send(b"", f"/api/v1/tags/{name}/", method="GET").status_code == 404
    bulk = {"action": "untag", "query": "", "tag": name}
    assert send(json.dumps(bulk), "/api/v1/bulk-actions/").status_code == 400
    assert annotator.post("/browse/tags/save/", {"name": name}, follow=True).status_code == 200
    assert Tag.objects.get().name == "fast"


def test_a_filter_of_60_kb_is_refused(reader, send):
    for name in ("task", "device", "tag", "generator", "q", "query"):
        assert reader.get("/browse/", {name: "x" * 60_000}).status_code == 400, name
    assert send(b"", "/api/v1/samples/?task=" + "x" * 60_000, method="GET").status_code == 400


@pytest.mark.parametrize("field", ["title", "description", "name"])
def test_texts_of_a_recipe_have_bounds(send, field):
    sent = {
        "name": "fine",
        "definition": {"version": 1, "rules": [{"rule": "has_trace"}]},
        field: "x" * 20_001,
    }
    answer = send(json.dumps(sent))
    assert answer.status_code == 400
    assert field in answer.json()["errors"]
    assert not Recipe.objects.filter(builtin=False).exists()


@pytest.mark.parametrize("path", ["/browse/?task=%00", "/api/v1/samples/?task=%00", "/api/v1/tags/a%00/"])
def test_a_nul_in_an_address_is_400(reader, path):
    assert reader.get(path).status_code == 400


def test_a_nul_in_a_form_is_400_and_names_the_field(annotator):
    answer = annotator.post("/browse/views/save/", {"name": "a\x00b", "query": ""})
    assert answer.status_code == 400
    assert "'name' holds a NUL" in unescape(answer.content.decode())


def test_what_was_only_read_is_not_said_to_be_unstored(send):
    asked = send(b"", "/api/v1/samples/?page_size=9", method="GET")
    assert detail(asked) == "The request has errors. See: page_size."
    assert "beside them are sort, limit and cursor" in asked.json()["errors"]["page_size"][0]
    assert detail(send(b'{"name": ""}')).startswith("The request has errors; nothing was stored.")


def test_a_missing_row_is_named_in_words(send):
    path = "/api/v1/samples/00000000-0000-4000-8000-000000000000/"
    assert detail(send(b"", path, method="GET")) == "There is no such sample, or none that you may read."
