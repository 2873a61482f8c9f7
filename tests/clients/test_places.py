"""Tests that a download stays in its folder, whatever a site sends."""

import hashlib
import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concur_client import Client, DownloadError
from concur_client.part import Part
from concur_client.places import place_of, refuse_collisions
from tests.clients.servers import answering

CONTENT = b"content"
HOSTILE = [
    "../outside",
    "data/../../outside",
    "/etc/outside",
    "data//outside",
    "./outside",
    "data/",
    "",
    "..\\outside",
    "C:outside",
    "out\x00side",
    "out\nside",
    "\ud800",
    "name.",
    "other.PART",
]


def release_of(*paths: str, sha256: str = hashlib.sha256(CONTENT).hexdigest(), **changes) -> bytes:
    file = {
        "format": "jsonl",
        "split": "",
        "state": "done",
        "rows": 1,
        "size_bytes": len(CONTENT),
        "error": "",
    }
    publication = {"visibility": "public", "yanked_at": None, "yank_reason": "", "superseded_by": None}
    moments = {"created_at": "2026-11-23T10:00:00Z", "finished_at": None}
    texts = dict.fromkeys(("title", "hub_id", "error", "recipe_name", "content_sha256", "notes"), "")
    counts = {"rows": 1, "tasks": 1, "splits": {"train": 1}}
    files = [{**file, "path": path, "sha256": sha256, **changes} for path in paths]
    release = {"name": "first", "state": "done", "publication": publication, "files": files}
    return json.dumps({**release, **moments, **texts, **counts}).encode()


def download(folder, release: bytes, content: bytes = CONTENT):
    asked = []

    def answer(path: str):
        asked.append(path)
        return 200, {}, content if "/files/" in path else release

    with answering(answer) as url, Client(url, retries=0) as client:
        return client.download_release("first", folder / "copy"), asked


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_that_is_unsafe_is_refused_before_anything_is_fetched(name, tmp_path):
    with pytest.raises(DownloadError, match="no safe name"):
        download(tmp_path, release_of("good", name))
    assert list(tmp_path.rglob("*")) == []


@given(
    st.lists(st.text(st.characters(codec=None), max_size=6) | st.sampled_from(["..", ".", "a"]), max_size=4)
)
def test_any_name_is_refused_or_leads_below_the_folder(tmp_path, parts):
    try:
        place = place_of(tmp_path, "/".join(parts))
    except DownloadError:
        return
    assert place != tmp_path
    assert place.resolve().is_relative_to(tmp_path)
    os.fsencode(place)


def test_a_symbolic_link_in_the_folder_is_not_followed(tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy/data").symlink_to(tmp_path / "outside")
    with pytest.raises(DownloadError, match=r"leads out of .* by a symbolic link"):
        download(tmp_path, release_of("data/file"))
    (tmp_path / "copy/file.part").symlink_to(tmp_path / "outside/file")
    with pytest.raises(OSError, match="symbolic link"):
        download(tmp_path, release_of("file"))
    assert list((tmp_path / "outside").iterdir()) == []


@pytest.mark.parametrize(
    "names", [["a", "a"], ["a", "A"], ["e\u0301", "\u00e9"], ["a/b", "a"], ["a/b/c", "A"]]
)
def test_names_that_would_be_one_file_are_refused(names):
    with pytest.raises(DownloadError, match="The site names"):
        refuse_collisions(names)


def test_names_of_a_release_are_taken(tmp_path):
    paths = ["README.md", "data/train-00000-of-00001.parquet", "jsonl/a b+c=d,é.jsonl"]
    done, asked = download(tmp_path, release_of(*paths))
    assert [one.path.relative_to(tmp_path / "copy").as_posix() for one in done] == paths
    assert len(asked) == 1 + len(paths)


def test_a_site_that_sends_more_than_it_states_fills_no_disk(tmp_path):
    with pytest.raises(DownloadError, match="do not have the SHA-256"):
        download(tmp_path, release_of("file"), CONTENT * 1_000_000)
    assert list((tmp_path / "copy").iterdir()) == []


def test_a_file_that_is_not_written_yet_is_named(tmp_path):
    with pytest.raises(
        DownloadError, match=r"file is failed: no room\. It can be downloaded when it is done"
    ):
        download(tmp_path, release_of("file", state="failed", error="no room"))


def test_an_empty_file_is_stored_without_a_request(tmp_path):
    empty = release_of("file", sha256=hashlib.sha256(b"").hexdigest(), size_bytes=0)
    done, asked = download(tmp_path, empty)
    assert (done[0].path.read_bytes(), len(asked)) == (b"", 1)


def test_two_downloads_do_not_write_one_file(tmp_path):
    with Part(tmp_path / "file") as first:
        first.append(b"half")
        with pytest.raises(DownloadError, match="Another download is writing"), Part(tmp_path / "file"):
            pass
    with Part(tmp_path / "file") as second:
        assert second.size_bytes == 4
        assert second.sha256.digest() == hashlib.sha256(b"half").digest()
