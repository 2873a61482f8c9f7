"""Tests of the client's downloads from a real site: whole, interrupted, changed, damaged, private."""

import hashlib

import pytest

from concur_client import Client, DownloadError, SiteError, UnreachableError, YankedWarning
from datasets_app.accounts.actor import COMMAND
from datasets_app.export import publication
from tests.api.clients import token_for
from tests.factories import make_user

pytestmark = pytest.mark.any_database
TRAIN = "jsonl/train.jsonl"
CUT = 1000


def stored(folder) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def write_again(release, export_folder, content: bytes) -> None:
    """Replace the site's file, as when a release is rebuilt."""
    (export_folder / release.name / TRAIN).write_bytes(content)
    digest = hashlib.sha256(content).hexdigest()
    release.exports.filter(path=TRAIN).update(size_bytes=len(content), sha256=digest)


@pytest.fixture
def whole(release, export_folder) -> bytes:
    content = (export_folder / "first" / TRAIN).read_bytes()
    assert len(content) > 3 * CUT
    return content


@pytest.fixture
def interrupted(whole, cutter, tmp_path):
    """Return the folder in which a download ended after its first bytes."""
    cutter.cuts, cutter.cut_after_bytes = 1, CUT
    with Client(cutter.url, retries=0) as client, pytest.raises(UnreachableError) as error:
        client.download_file("first", TRAIN, tmp_path / "copy")
    assert f"1,000 of {len(whole):,} bytes are kept in" in str(error.value)
    assert stored(tmp_path / "copy") == {f"{TRAIN}.part": whole[:CUT]}
    return tmp_path / "copy"


def test_a_release_is_stored_as_the_site_has_it_and_not_fetched_again(
    release, client, tmp_path, export_folder
):
    into = tmp_path / "copy"
    done = client.download_release("first", into)
    assert stored(into) == stored(export_folder / "first")
    assert {one.file.path for one in done} == set(release.exports.in_package().values_list("path", flat=True))
    assert all(one.fetched_bytes == one.file.size_bytes for one in done)
    (into / TRAIN).write_bytes(b"edited")
    again = client.download_release("first", into)
    assert {one.file.path for one in again if one.fetched_bytes} == {TRAIN}
    assert stored(into) == stored(export_folder / "first")
    client.download_release("first", tmp_path / "some", only=["jsonl/t*", "README.md"])
    assert set(stored(tmp_path / "some")) == {"README.md", TRAIN, "jsonl/test.jsonl"}
    with pytest.raises(DownloadError, match=r"no file that matches \*\.zip"):
        client.download_release("first", tmp_path / "some", only=["*.zip"])


def test_a_connection_that_ends_early_is_followed_by_one_for_the_rest(whole, cutter, tmp_path):
    cutter.cuts, cutter.cut_after_bytes = 2, CUT
    with Client(cutter.url) as client:
        one = client.download_file("first", TRAIN, tmp_path)
    assert one.path.read_bytes() == whole
    assert one.fetched_bytes == len(whole), "no byte was fetched twice"


def test_an_interrupted_download_is_gone_on_with_by_the_next_call(interrupted, whole, cutter):
    with Client(cutter.url) as client:
        one = client.download_file("first", TRAIN, interrupted)
    asked = cutter.requests[-1].lower()
    assert f"range: bytes={CUT}-".encode() in asked
    assert f'if-range: "{one.file.sha256}"'.encode() in asked
    assert one.fetched_bytes == len(whole) - CUT
    assert stored(interrupted) == {TRAIN: whole}


def test_a_file_that_was_written_again_since_is_fetched_from_its_beginning(
    interrupted, whole, client, release, export_folder
):
    changed = b'{"changed": true}\n' + whole
    write_again(release, export_folder, changed)
    client.download_file("first", TRAIN, interrupted)
    assert stored(interrupted) == {TRAIN: changed}


def test_a_file_that_is_written_again_after_it_was_listed_is_taken_as_it_is_now(
    whole, client, release, export_folder, tmp_path, monkeypatch
):
    listed = client.release("first")
    write_again(release, export_folder, whole[: len(whole) // 2])
    answers = iter([listed])
    now = client.release
    monkeypatch.setattr(client, "release", lambda name: next(answers, None) or now(name))
    one = client.download_file("first", TRAIN, tmp_path / "copy")
    assert stored(tmp_path / "copy") == {TRAIN: whole[: len(whole) // 2]}
    assert one.file.size_bytes == len(whole) // 2


def test_damaged_bytes_are_refused_and_neither_kept_nor_put_in_the_place_of_good_ones(
    interrupted, whole, client, export_folder
):
    (interrupted / TRAIN).write_bytes(b"an older version")
    (export_folder / "first" / TRAIN).write_bytes(b"?" + whole[1:-1] + b"?")
    with pytest.raises(DownloadError, match=r"do not have the SHA-256.*release rebuild first"):
        client.download_file("first", TRAIN, interrupted)
    assert stored(interrupted) == {TRAIN: b"an older version"}


def test_a_private_release_is_for_the_token_of_a_named_reader(release, live_server, tmp_path):
    def fault(token: str) -> str:
        with Client(live_server.url, token) as client, pytest.raises(SiteError) as error:
            client.download_release("first", tmp_path)
        return f"{error.value.status} {error.value}"

    ada, bob = make_user("reader", "ada"), make_user("reader", "bob")
    publication.set_visibility(release, "private", ["ada"], actor=COMMAND)
    publication.yank(release, "a leak between splits", actor=COMMAND)
    assert "401 There is no public release first." in fault("")
    assert "404 There is no release first that you may read." in fault(token_for(bob, "read"))
    assert "401 This token is unknown or revoked. Create one" in fault("cw_nobody's")
    with (
        Client(live_server.url, token_for(ada, "read")) as client,
        pytest.warns(YankedWarning, match=r"first is yanked: a leak between splits"),
    ):
        assert client.download_release("first", tmp_path, only=[TRAIN])
