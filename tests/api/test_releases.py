import base64
import hashlib

import pytest
from django.test import Client

from datasets_app.curate import freeze
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


@pytest.fixture
def data(release, export_folder) -> bytes:
    return (export_folder / "first/jsonl/train.jsonl").read_bytes()


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


def test_the_list_is_short_and_costs_a_fixed_number_of_queries(release, django_assert_num_queries):
    frozen("second")
    client = api()
    client.get("/api/v1/releases/")
    with django_assert_num_queries(3) as asked:  # the token, its role, the releases
        body = client.get("/api/v1/releases/").json()
    assert [entry["name"] for entry in body["results"]] == ["second", "first"]
    assert "hub_id" in body["results"][0]
    assert not any("body" in query["sql"] for query in asked.captured_queries)


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


def test_a_file_comes_whole_with_its_validators(data):
    answer = api().get(PATH)
    sha256 = hashlib.sha256(data)
    assert answer.status_code == 200
    assert read(answer) == data
    assert answer["ETag"] == f'"{sha256.hexdigest()}"'
    assert answer["Content-Length"] == str(len(data))
    assert answer["Accept-Ranges"] == "bytes"
    assert answer["Repr-Digest"] == f"sha-256=:{base64.b64encode(sha256.digest()).decode()}:"
    assert answer["Content-Disposition"] == 'attachment; filename="first-train.jsonl"'


def test_head_says_the_length_and_sends_nothing(data):
    answer = api().head(PATH)
    assert (answer.status_code, answer["Content-Length"]) == (200, str(len(data)))
    assert read(answer) == b""


@pytest.mark.parametrize(
    ("asked", "first", "last"), [("bytes=0-99", 0, 99), ("bytes=100-", 100, None), ("bytes=-50", -50, None)]
)
def test_a_range_is_sent_alone(data, asked, first, last):
    answer = api().get(PATH, headers={"Range": asked})
    expected = data[first : None if last is None else last + 1]
    assert answer.status_code == 206
    assert read(answer) == expected
    assert answer["Content-Length"] == str(len(expected))
    start = first % len(data)
    assert answer["Content-Range"] == f"bytes {start}-{start + len(expected) - 1}/{len(data)}"


def test_a_range_beyond_the_end_is_refused_with_the_size(data):
    answer = api().get(PATH, headers={"Range": f"bytes={len(data)}-"})
    assert answer.status_code == 416
    assert answer["Content-Range"] == f"bytes */{len(data)}"


def test_several_ranges_get_the_whole(data):
    answer = api().get(PATH, headers={"Range": "bytes=0-1,4-5"})
    assert (answer.status_code, read(answer)) == (200, data)


def test_a_file_that_the_client_has_is_not_sent_again(data):
    etag = f'"{hashlib.sha256(data).hexdigest()}"'
    assert api().get(PATH, headers={"If-None-Match": etag}).status_code == 304
    assert api().get(PATH, headers={"If-None-Match": '"old"'}).status_code == 200


def test_a_resumed_download_of_another_file_starts_anew(data):
    etag = f'"{hashlib.sha256(data).hexdigest()}"'
    ranged = {"Range": "bytes=5-9"}
    assert api().get(PATH, headers={**ranged, "If-Range": etag}).status_code == 206
    assert api().get(PATH, headers={**ranged, "If-Range": '"old"'}).status_code == 200


@pytest.mark.parametrize("accept", ["application/vnd.apache.parquet", "text/html", "*/*"])
def test_what_the_client_would_like_to_read_does_not_matter(data, accept):
    assert api().get(PATH, headers={"Accept": accept}).status_code == 200


@pytest.mark.parametrize(
    "path", ["../../secret-key", "jsonl/../../../secret-key", "%2e%2e/secret-key", "nosuch.txt", "jsonl/"]
)
def test_only_files_that_the_site_wrote_are_served(release, export_folder, path):
    (export_folder.parent / "secret-key").write_text("secret")
    assert api().get(f"/api/v1/releases/first/files/{path}").status_code == 404


def test_a_file_that_is_not_written_yet_says_so():
    passed()
    frozen()
    answer = api().get(PATH.replace("train", next(iter(Release.objects.get().split_counts))))
    assert answer.status_code == 404
    assert "queued" in answer.json()["detail"]


def test_a_lost_file_says_how_to_write_it_again(release, export_folder):
    (export_folder / "first/jsonl/train.jsonl").unlink()
    answer = api().get(PATH)
    assert answer.status_code == 404
    assert "release rebuild first" in answer.json()["detail"]


def test_nobody_downloads_without_a_login_or_a_token(release):
    for path in (PATH, "/releases/first/files/README.md"):
        assert Client().get(path).status_code == 401


def test_the_page_address_takes_a_session_and_a_token(release, reader):
    path = "/releases/first/files/README.md"
    assert reader.get(path).status_code == 200
    assert api().get(path).status_code == 200


def test_a_failed_release_tells_why():
    make_sample()
    frozen()
    body = api().get("/api/v1/releases/first/").json()
    assert body["state"] == "failed"
    assert "chooses no sample" in body["error"]
