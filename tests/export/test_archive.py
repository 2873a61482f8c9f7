"""Tests of the archive of a release: its bytes, its hash, its parts, and what becomes of it when a file changes."""

import hashlib
import io
import shutil
import subprocess
import zipfile

import pytest

from datasets_app.accounts.actor import COMMAND
from datasets_app.export import publication
from datasets_app.export.archive import ArchiveFile, request_archive
from datasets_app.export.finish import finish_files, rewrite_files
from datasets_app.export.request import request_export
from datasets_app.export.write import run_export
from datasets_app.jobs import job_row
from datasets_app.models import Export, JobState
from tests.export.reading import folder
from tests.site.server.running import serving

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
URL = "/releases/first/files/all.zip"


def archive_of(release):
    return release.exports.get(format="zip")


def body(answer):
    return b"".join(answer.streaming_content)


def test_it_holds_every_file_under_the_release_s_name(release, curator):
    made = zipfile.ZipFile(io.BytesIO(body(curator.get(URL))))
    assert made.testzip() is None
    files = release.exports.in_package()
    assert made.namelist() == [f"first/{file.path}" for file in files.order_by("path")]
    for file in files:
        assert hashlib.sha256(made.read(f"first/{file.path}")).hexdigest() == file.sha256


@pytest.mark.skipif(not shutil.which("unzip"), reason="unzip is not installed")
def test_unzip_finds_no_fault(release, curator, tmp_path):
    stored = tmp_path / "all.zip"
    stored.write_bytes(body(curator.get(URL)))
    subprocess.run(["unzip", "-tqq", stored], check=True)


def test_its_hash_and_size_are_those_of_what_is_sent(release, curator):
    answer = curator.get(URL)
    sent = body(answer)
    row = archive_of(release)
    assert hashlib.sha256(sent).hexdigest() == row.sha256 == answer.headers["ETag"].strip('"')
    assert len(sent) == row.size_bytes == int(answer.headers["Content-Length"])
    assert answer.headers["Content-Type"] == "application/zip"
    assert 'filename="first-all.zip"' in answer.headers["Content-Disposition"]
    head = curator.head(URL)
    assert head.headers["Content-Length"] == answer.headers["Content-Length"]


def test_it_is_resumed_from_any_byte(release, curator):
    sent = body(curator.get(URL))
    starts = [
        0,
        1,
        len(sent) // 3,
        len(sent) - 1,
        *(part for part in ArchiveFile(archive_of(release)).ends[:-1]),
    ]
    for first in starts:
        answer = curator.get(URL, headers={"Range": f"bytes={first}-"})
        assert answer.status_code == 206
        assert answer.headers["Content-Range"] == f"bytes {first}-{len(sent) - 1}/{len(sent)}"
        assert body(answer) == sent[first:]
    answer = curator.get(URL, headers={"Range": "bytes=10-19"})
    assert body(answer) == sent[10:20]


def test_it_reads_as_a_file(release):
    with (
        ArchiveFile(archive_of(release), first=5, length=100) as part,
        ArchiveFile(archive_of(release)) as all_of_it,
    ):
        content = b"".join(iter(lambda: all_of_it.read(1000), b""))
        assert len(content) == all_of_it.size_bytes
        assert part.seek(0, io.SEEK_END) == 100
        assert part.read(10) == b""
        part.seek(-3, io.SEEK_CUR)
        assert part.read(10) == content[102:105]
        part.seek(0)
        assert part.readall() == content[5:105]


@pytest.mark.parametrize("first", [0, 1000])
def test_the_server_sends_it_and_a_part_of_it_without_a_thread(release, first):
    archive = archive_of(release)
    file = ArchiveFile(archive, first)

    def application(environ, start_response):
        start_response("200 OK", [("Content-Length", str(file.length))])
        return environ["wsgi.file_wrapper"](file)

    with serving(application) as site:
        sent = site.get().content
    assert file.closed
    with ArchiveFile(archive) as again:
        assert sent == again.readall()[first:]


def test_it_is_made_again_when_a_file_joins_it_or_the_card_changes(release, curator):
    before = archive_of(release)
    publication.describe(release, "for a trial", actor=COMMAND)
    waiting = archive_of(release)
    assert (waiting.state, waiting.sha256) == (JobState.QUEUED, "")
    assert curator.get(URL).status_code == 404
    run_export(waiting.pk)
    described = archive_of(release)
    assert described.sha256 not in ("", before.sha256)
    request_export(release, "csv", COMMAND)
    finish_files(release)
    names = zipfile.ZipFile(io.BytesIO(body(curator.get(URL)))).namelist()
    assert "first/csv/train.csv" in names
    assert archive_of(release).sha256 not in (before.sha256, described.sha256)


def test_a_file_that_was_damaged_is_found_when_it_is_made_and_when_it_is_sent(release, curator):
    path = folder(release) / "README.md"
    path.write_text("something else")
    answer = curator.get(URL)
    assert answer.status_code == 404
    assert "manage.py release rebuild first" in answer.content.decode()
    release.exports.filter(format="zip").update(state=JobState.QUEUED, sha256="")
    run_export(archive_of(release).pk)
    row = archive_of(release)
    assert row.state == JobState.FAILED
    assert "README.md of release first has changed" in row.error
    assert row.error.endswith("manage.py release rebuild first")
    rewrite_files(release)
    assert archive_of(release).state == JobState.DONE
    assert curator.get(URL).status_code == 200


def test_a_file_that_is_missing_ends_in_the_same_words(release, curator):
    next(folder(release).glob("data/*.parquet")).unlink()
    answer = curator.get(URL)
    assert answer.status_code == 404
    assert "manage.py release rebuild first" in answer.content.decode()


def test_writing_the_same_files_again_makes_no_new_archive(release):
    before = archive_of(release)
    rewrite_files(release)
    assert archive_of(release).finished_at == before.finished_at


def test_neither_the_hub_nor_the_list_of_hashes_has_it(release, curator):
    assert "all.zip" not in (folder(release) / "SHA256SUMS").read_text()
    siblings = curator.get("/api/datasets/concur/first").json()["siblings"]
    assert "all.zip" not in {one["rfilename"] for one in siblings}


def test_rest_has_it_beside_the_files(release, curator):
    found = curator.get("/api/v1/releases/first/").json()
    row = archive_of(release)
    assert (found["archive"]["sha256"], found["archive"]["size_bytes"]) == (row.sha256, row.size_bytes)
    assert found["archive"]["url"].endswith("/api/v1/releases/first/files/all.zip")
    assert "all.zip" not in {file["path"] for file in found["files"]}


def test_the_page_leads_to_it_once_it_is_made(release, curator):
    assert "Download all" in curator.get("/releases/first/").content.decode()
    publication.describe(release, "for a trial", actor=COMMAND)
    page = curator.get("/releases/first/").content.decode()
    assert "Download all" not in page
    assert 'hx-trigger="every 2s"' in page  # until it is


def test_a_worker_that_hashes_files_that_have_changed_since_records_nothing(release):
    Export.objects.filter(release=release, format="zip").update(state="queued", attempt=0)
    before = job_row.claim(Export, archive_of(release).pk)
    for contents in ("3" * 64, "4" * 64):
        request_archive(release, contents)
    after = job_row.claim(Export, before.pk)
    with pytest.raises(job_row.LeaseLostError):
        job_row.finish(before, sha256="1" * 64)
    job_row.finish(after, sha256="2" * 64)
    assert archive_of(release).sha256 == "2" * 64
