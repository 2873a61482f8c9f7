import json

import pytest
from django.test import Client

from datasets_app.accounts.actor import COMMAND
from datasets_app.curate import freeze
from datasets_app.export import publication
from datasets_app.export.finish import finish_files
from datasets_app.models import Release
from tests.api.clients import api, token_for
from tests.curate.store import PASSED, frozen, passed, small_store
from tests.factories import make_sample, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def export_folder(settings, tmp_path):
    settings.EXPORT_DIR = tmp_path
    return tmp_path


@pytest.fixture
def release():
    small_store()
    made = frozen()
    finish_files(made)
    return made


PATH = "/api/v1/releases/first/files/jsonl/train.jsonl"


def read(answer) -> bytes:
    return b"".join(answer.streaming_content) if answer.streaming else answer.content


def test_a_release_says_where_its_files_are_and_what_was_counted(release):
    body = api().get("/api/v1/releases/first/").json()
    assert body["hub_id"] == "concur/first"
    assert body["rows"] == 20
    assert body["splits"] == release.split_counts
    assert body["funnel"][0]["rows_in"] == 21
    files = {file["path"]: file for file in body["files"]}
    assert files["jsonl/train.jsonl"]["rows"] == release.split_counts["train"]
    assert read(api().get(files["README.md"]["url"])).startswith(b"---\n")


def test_the_difference_of_two_releases_is_streamed_with_the_fact_behind_each_row(release):
    sample = release.rows.first().sample
    sample.generator = "writer-7b"
    sample.save()
    frozen("second")
    path = "/api/v1/releases/second/difference/"
    answer = api().get(path, {"from": "first"})
    assert answer["Content-Type"] == "application/jsonl"
    assert (answer["X-Added"], answer["X-Removed"], answer["X-Changed"]) == ("0", "0", "1")
    (row,) = map(json.loads, read(answer).splitlines())
    assert (row["difference"], row["id"]) == ("changed", str(sample.pk))
    assert row["changes"] == {"generator": {"before": "writer-32b", "after": "writer-7b"}}
    assert row["why"] == ["generator: writer-32b → writer-7b"]
    for other in ("none", "second", ""):
        assert api().get(path, {"from": other}).json()["errors"] == {"from": ["Name another release."]}


def test_a_release_that_is_not_finished_is_not_compared(release):
    Release.objects.create(name="second", recipe_name="test", definition=PASSED)
    answer = api().get("/api/v1/releases/second/difference/?from=first")
    assert answer.status_code == 409
    assert answer.json()["detail"] == "second is queued; it is compared when it is done."


def test_the_list_is_short_and_costs_a_fixed_number_of_queries(release, django_assert_num_queries):
    frozen("second")
    client = api()
    client.get("/api/v1/releases/")
    with django_assert_num_queries(3) as asked:  # the token, its role, the releases
        body = client.get("/api/v1/releases/").json()
    assert [entry["name"] for entry in body["results"]] == ["second", "first"]
    assert "hub_id" in body["results"][0]
    assert not any("body" in query["sql"] for query in asked.captured_queries)


def test_a_stranger_is_listed_the_public_releases_and_no_others(release, django_assert_num_queries):
    for name in ("of_accounts", "hidden", "second"):
        frozen(name)
    Release.objects.create(name="unfinished", recipe_name="test", definition=PASSED)
    for name, who in {
        "first": "public",
        "second": "public",
        "unfinished": "public",
        "hidden": "private",
    }.items():
        publication.set_visibility(Release.objects.get(name=name), who, actor=COMMAND)
    publication.supersede(release, "second", actor=COMMAND)
    with django_assert_num_queries(1):
        answer = Client().get("/api/v1/releases/")
    assert answer.status_code == 200
    assert [entry["name"] for entry in answer.json()["results"]] == ["second", "first"]
    assert answer.json()["results"][1]["publication"]["superseded_by"] == "second"
    assert Client().post("/api/v1/releases/", {"name": "mine", "recipe": "concur"}).status_code == 401


def test_freezing_by_the_api_is_accepted_then_done():
    small_store()
    client = api(token_for(make_user("curator"), "read", "curate"))
    answer = client.post("/api/v1/releases/", {"name": "mine", "recipe": "concur"})
    assert answer.status_code == 202
    assert answer.json()["state"] == "queued"
    freeze.run_freeze(Release.objects.get().pk)
    assert client.get(answer.headers["Location"]).json()["state"] == "done"


@pytest.mark.parametrize(
    ("sent", "place"),
    [
        ({"name": "a b", "recipe": "concur"}, "name"),
        ({"name": "x", "recipe": "/etc/passwd"}, "recipe"),
        ({"name": "x"}, "recipe"),
        ({"name": "x", "definition": {"rules": "all"}}, "rules"),
        ({"recipe": "concur"}, "name"),
    ],
)
def test_a_request_that_cannot_be_met_says_why(sent, place):
    client = api(token_for(make_user("curator"), "curate"))
    answer = client.post("/api/v1/releases/", sent)
    assert answer.status_code == 400
    assert place in answer.json()["errors"]


def test_a_reader_freezes_nothing():
    answer = api().post("/api/v1/releases/", {"name": "mine", "recipe": "concur"})
    assert answer.status_code == 403


def test_a_definition_can_be_sent_in_place_of_a_name():
    passed()
    client = api(token_for(make_user("curator"), "read", "curate"))
    assert client.post("/api/v1/releases/", {"name": "mine", "definition": PASSED}).status_code == 202


def test_a_file_that_is_not_written_yet_says_so():
    passed()
    frozen()
    answer = api().get(PATH.replace("train", next(iter(Release.objects.get().split_counts))))
    assert answer.status_code == 404
    assert "queued" in answer.json()["detail"]


def test_a_failed_release_tells_why():
    make_sample()
    frozen()
    body = api().get("/api/v1/releases/first/").json()
    assert body["state"] == "failed"
    assert "chooses no sample" in body["error"]
