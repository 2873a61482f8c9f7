"""Tests of a bucket for releases' files, against an S3-compatible server that runs as a process of its own (moto)."""

import hashlib
import os
import signal
import urllib.error
import urllib.request
from multiprocessing import get_context

import pytest
from django.core.exceptions import ImproperlyConfigured

from concur_client import Client
from concur_site import export_store
from concur_site.up.checks import check_store
from datasets_app.accounts.actor import COMMAND
from datasets_app.export import publication, request_export
from datasets_app.export.archive import ArchiveFile
from datasets_app.export.finish import finish_files, rewrite_files
from datasets_app.export.store import StoreSilentError, release_files, s3
from datasets_app.export.write import run_export
from datasets_app.models import JobState
from tests.conftest import signed_in
from tests.curate.store import frozen, small_store
from tests.export.s3_server import KEY_ID, REGION, SECRET, client_of, empty_bucket, running_s3
from tests.live import free_port

pytestmark = [pytest.mark.django_db, pytest.mark.xdist_group("s3"), pytest.mark.any_database]
URL = "/releases/first/files/jsonl/train.jsonl"
BUCKET, PREFIX = "kernels", "sets"


@pytest.fixture(scope="module")
def server():
    with running_s3() as address:
        yield address


def point_at(settings, monkeypatch, address):
    for name, value in {
        "BUCKET": BUCKET,
        "ENDPOINT": address,
        "REGION": REGION,
        "PREFIX": f"/{PREFIX}/",
        "KEY_ID": KEY_ID,
        "SECRET_KEY": SECRET,
    }.items():
        monkeypatch.setenv(f"CONCUR_S3_{name}", value)
    settings.STORAGES = settings.STORAGES | export_store.storages()


@pytest.fixture
def bucket(server, settings, monkeypatch):
    """An empty bucket that the site is set to; return a client of it."""
    client = client_of(server)
    empty_bucket(client, BUCKET)
    point_at(settings, monkeypatch, server)
    return client


@pytest.fixture
def release(bucket):
    small_store()
    made = frozen("first")
    finish_files(made)
    return made


def objects(client):
    listed = client.list_objects_v2(Bucket=BUCKET).get("Contents", [])
    return {
        found["Key"]: client.get_object(Bucket=BUCKET, Key=found["Key"])["Body"].read() for found in listed
    }


def uploads(client):
    return client.list_multipart_uploads(Bucket=BUCKET).get("Uploads", [])


def content(answer):
    return b"".join(answer.streaming_content)


def test_a_release_s_files_are_in_the_bucket_and_nowhere_else(release, bucket, export_folder):
    files = {f"{PREFIX}/first/{file.path}": file for file in release.exports.in_package()}
    stored = objects(bucket)
    assert stored.keys() == files.keys()
    for key, file in files.items():
        assert (len(stored[key]), hashlib.sha256(stored[key]).hexdigest()) == (file.size_bytes, file.sha256)
    assert not export_folder.exists()


def test_bytes_and_hashes_are_those_of_a_local_folder(release, settings, tmp_path):
    kept = dict(release.exports.of_rows().values_list("path", "sha256"))
    settings.STORAGES = {name: one for name, one in settings.STORAGES.items() if name != export_store.ALIAS}
    assert sorted(rewrite_files(release)["written"]) == sorted(kept)
    assert dict(release.exports.of_rows().values_list("path", "sha256")) == kept


def test_a_file_of_several_parts_is_read_from_any_byte(bucket, monkeypatch):
    monkeypatch.setattr(s3, "PART_BYTES", 5 * 2**20)
    block = bytes(range(256)) * 4096
    written = release_files().write("a/large", lambda stream: [stream.write(block) for _ in range(12)])
    whole = block * 12
    assert (written.size_bytes, written.sha256) == (len(whole), hashlib.sha256(whole).hexdigest())
    assert bucket.head_object(Bucket=BUCKET, Key=f"{PREFIX}/a/large")["ETag"].endswith('-3"')
    with release_files().open("a/large") as file:
        for start, length in ((0, 10), (7_000_000, 300_000), (5, 5), (len(whole) - 3, 10)):
            file.seek(start)
            assert file.read(length) == whole[start : start + length]


def test_a_fault_on_the_way_leaves_no_object_and_no_parts(bucket, monkeypatch):
    monkeypatch.setattr(s3, "PART_BYTES", 5 * 2**20)

    def fail(stream):
        stream.write(b"x" * 6_000_000)
        raise OSError("the rows ended early")

    with pytest.raises(OSError, match="ended early"):
        release_files().write("first/half", fail)
    assert objects(bucket) == {}
    assert uploads(bucket) == []


def write_and_be_killed():
    s3.PART_BYTES = 5 * 2**20

    def write(stream):
        stream.write(b"x" * 6_000_000)
        os.kill(os.getpid(), signal.SIGKILL)

    release_files().write("first/half", write)


def test_a_killed_writer_leaves_no_half_object_and_the_next_one_clears_its_parts(bucket):
    killed = get_context("fork").Process(target=write_and_be_killed)
    killed.start()
    killed.join()
    assert killed.exitcode == -signal.SIGKILL
    assert objects(bucket) == {}
    assert len(uploads(bucket)) == 1
    release_files().write("first/half", lambda stream: stream.write(b"whole"))
    assert objects(bucket) == {f"{PREFIX}/first/half": b"whole"}
    assert uploads(bucket) == []


def test_a_download_through_the_site_is_as_from_a_folder(release, bucket):
    whole = objects(bucket)[f"{PREFIX}/first/jsonl/train.jsonl"]
    reader = signed_in("reader")
    answer = reader.get(URL)
    assert content(answer) == whole
    assert answer.headers["Content-Length"] == str(len(whole))
    etag = answer.headers["ETag"]
    assert etag == f'"{hashlib.sha256(whole).hexdigest()}"'
    part = reader.get(URL, headers={"range": "bytes=5-9", "if-range": etag})
    assert (part.status_code, content(part)) == (206, whole[5:10])
    assert part.headers["Content-Range"] == f"bytes 5-9/{len(whole)}"
    assert content(reader.get(URL, headers={"range": "bytes=5-9", "if-range": '"older"'})) == whole
    assert reader.get(URL, headers={"if-none-match": etag}).status_code == 304
    assert reader.get(URL, headers={"range": f"bytes={len(whole)}-"}).status_code == 416
    assert reader.head(URL).headers["Content-Length"] == str(len(whole))


def test_the_archive_is_put_together_from_the_bucket(release):
    archive = release.exports.get(format="zip")
    answer = signed_in("reader").get("/releases/first/files/all.zip")
    assert hashlib.sha256(content(answer)).hexdigest() == archive.sha256
    part = signed_in("other").get("/releases/first/files/all.zip", headers={"range": "bytes=100-2999"})
    with ArchiveFile(archive) as whole:
        assert content(part) == whole.read()[100:3000]


def test_a_reader_is_sent_on_to_an_address_that_needs_no_account(release, bucket, settings):
    settings.EXPORT_S3_DOWNLOADS = "redirect"
    whole = objects(bucket)[f"{PREFIX}/first/jsonl/train.jsonl"]
    reader = signed_in("reader")
    answer = reader.get(URL)
    assert (answer.status_code, answer.headers["Cache-Control"]) == (302, "no-store")
    asked = urllib.request.Request(answer.headers["Location"], headers={"Range": "bytes=5-9"})
    with urllib.request.urlopen(asked) as part:
        assert (part.status, part.read()) == (206, whole[5:10])
        assert part.headers["Content-Disposition"] == 'attachment; filename="first-train.jsonl"'
    assert SECRET not in answer.headers["Location"]
    head = reader.head(URL)
    assert (head.status_code, head.headers["Content-Length"]) == (200, str(len(whole)))
    resumed = reader.get(URL, headers={"range": "bytes=5-9", "if-range": head.headers["ETag"]})
    assert (resumed.status_code, content(resumed)) == (206, whole[5:10])
    hub = reader.get("/datasets/concur/first/resolve/main/jsonl/train.jsonl")
    assert (hub.status_code, hub.headers["X-Linked-Size"]) == (302, str(len(whole)))


# A group of its own: the first group would run early, and this test empties the database, built-in recipes included.
@pytest.mark.xdist_group("s3 by http")
def test_the_project_s_client_follows_to_the_bucket(
    live_server, transactional_db, release, settings, tmp_path
):
    settings.EXPORT_S3_DOWNLOADS = "redirect"
    publication.set_visibility(release, "public", actor=COMMAND)
    with Client(live_server.url) as client:
        client.download_release("first", tmp_path)
    for file in release.exports.in_package():
        assert hashlib.sha256((tmp_path / file.path).read_bytes()).hexdigest() == file.sha256


def test_a_lost_object_is_missed_and_written_again(release, bucket):
    bucket.delete_object(Bucket=BUCKET, Key=f"{PREFIX}/first/jsonl/train.jsonl")
    lost = signed_in("reader").get(URL)
    assert lost.status_code == 404
    assert rewrite_files(release)["written"] == ["jsonl/train.jsonl"]
    assert content(signed_in("other").get(URL)).count(b"\n") == release.split_counts["train"]


def test_a_silent_server_fails_the_file_with_a_sentence_and_downloads_say_so(release, settings, monkeypatch):
    monkeypatch.setattr(export_store, "ATTEMPTS", 1)
    point_at(settings, monkeypatch, f"http://127.0.0.1:{free_port()}")
    answer = signed_in("reader").get(URL)
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "30")
    assert "ask again" in answer.content.decode()
    (file,) = request_export(release, "csv", COMMAND)[:1]
    run_export(file.pk)
    file.refresh_from_db()
    assert file.state == JobState.FAILED
    assert "The store of files does not answer" in file.error
    with pytest.raises(StoreSilentError):
        rewrite_files(release)


def test_doctor_names_a_bucket_that_is_not_there(bucket, settings, monkeypatch):
    assert list(check_store()) == []
    monkeypatch.setenv("CONCUR_S3_BUCKET", "another")
    settings.STORAGES = settings.STORAGES | export_store.storages()
    assert [problem.sentence for problem in check_store()] == [
        "There is no bucket another: create it, or set CONCUR_S3_BUCKET to another."
    ]


@pytest.mark.parametrize(
    ("present", "unset", "sentence"),
    [
        (False, None, r"not installed.*django-storages\[s3\]"),
        (True, "CONCUR_S3_SECRET_KEY", "Set both CONCUR_S3_KEY_ID and CONCUR_S3_SECRET_KEY"),
    ],
)
def test_what_is_missing_is_named(settings, monkeypatch, present, unset, sentence):
    monkeypatch.setattr(export_store, "find_spec", lambda name: present)
    for name in ("BUCKET", "KEY_ID", "SECRET_KEY"):
        monkeypatch.setenv(f"CONCUR_S3_{name}", "x")
    if unset:
        monkeypatch.delenv(unset)
    with pytest.raises(ImproperlyConfigured, match=sentence):
        export_store.storages()
