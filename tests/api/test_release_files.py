"""Tests of the download of a release's files: validators, ranges, and who is refused what."""

import base64
import hashlib

import pytest
from django.test import Client

from datasets_app.export.finish import finish_files
from datasets_app.models import Release
from tests.api.clients import api
from tests.curate.store import frozen, small_store
from tests.shared_rows import own_release, shared_release

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
PATH = "/api/v1/releases/first/files/jsonl/train.jsonl"


@pytest.fixture(autouse=True)
def export_folder(settings, tmp_path):
    settings.EXPORT_DIR = tmp_path / "exports"
    return settings.EXPORT_DIR


def store() -> None:
    small_store()
    finish_files(frozen())


@pytest.fixture(scope="module")
def files(request):
    with shared_release(request, store) as folder:
        yield folder


@pytest.fixture
def release(db, files, export_folder) -> Release:
    return own_release(files, export_folder)


@pytest.fixture
def data(release, export_folder) -> bytes:
    return (export_folder / "first/jsonl/train.jsonl").read_bytes()


def read(answer) -> bytes:
    return b"".join(answer.streaming_content) if answer.streaming else answer.content


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
