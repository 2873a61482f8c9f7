"""Tests that a stored file is sent by the server or by nginx, never by a request's thread."""

import contextlib
import io
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concur_site.server.channel import FILE_TYPES
from datasets_app.export import sending
from datasets_app.export.sending import FilePart
from tests.conftest import signed_in

pytestmark = pytest.mark.any_database
CONTENT = bytes(range(200))


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("part") / "file"
    path.write_bytes(CONTENT)
    return path


@given(
    first=st.integers(0, 199), length=st.integers(0, 200), size=st.integers(1, 50), skip=st.integers(0, 60)
)
def test_a_part_reads_as_a_file_of_its_own(path, first, length, size, skip):
    length = min(length, len(CONTENT) - first)
    with FilePart(path, first, length) as part:
        blocks = list(iter(lambda: part.read(size), b""))
        assert b"".join(blocks) == CONTENT[first : first + length]
        assert part.seek(0, io.SEEK_END) == length
        assert part.seek(min(skip, length)) == part.tell() == min(skip, length)
        assert part.read() == CONTENT[first + min(skip, length) : first + length]


@pytest.fixture
def download(release, export_folder, settings):
    """Request a release's file as a reader, with headers."""
    settings.DATA_DIR = export_folder.parent
    client = signed_in("reader")
    return lambda **headers: client.get("/releases/first/files/jsonl/train.jsonl", headers=headers)


@pytest.mark.django_db  # Closing a response ends its request, and Django then checks the connection.
@pytest.mark.parametrize(("part", "length"), [(None, 200), ((5, 7), 7)], ids=["whole", "a range"])
def test_the_server_is_given_the_file_itself_and_not_blocks_of_it(path, part, length):
    """The server sends a response with a file behind it without a thread."""
    with contextlib.closing(sending.send_file(path, "text/plain", part)) as answer:
        assert isinstance(answer.file_to_stream, FILE_TYPES)
        assert int(answer.headers["Content-Length"]) == length


def test_a_range_is_the_files_bytes(download):
    assert (
        b"".join(download(range="bytes=5-9").streaming_content)
        == b"".join(download().streaming_content)[5:10]
    )


def test_nginx_is_told_which_file_to_send_with_the_same_headers(download, settings):
    direct = download()
    settings.ACCEL_REDIRECT = "/protected/"
    answer = download(range="bytes=5-9")
    assert answer.status_code == 200, "nginx answers ranges itself"
    assert answer.headers["X-Accel-Redirect"] == "/protected/exports/first/jsonl/train.jsonl"
    assert answer.content == b""
    for name in ("Content-Type", "Content-Disposition", "Cache-Control", "Repr-Digest", "Accept-Ranges"):
        assert answer.headers[name] == direct.headers[name]


def test_nginx_gets_a_path_that_is_quoted_and_inside_the_data_folder(settings, tmp_path):
    settings.DATA_DIR, settings.ACCEL_REDIRECT = tmp_path, "/protected"
    assert sending.accel_path(tmp_path / "a b%?#.jsonl") == "/protected/a%20b%25%3F%23.jsonl"
    assert sending.accel_path(tmp_path.parent / "elsewhere") == ""
    settings.ACCEL_REDIRECT = ""
    assert sending.accel_path(tmp_path / "file") == ""


def test_the_file_is_closed_with_the_response(download, export_folder):
    def opened() -> list[str]:
        links = (f"/proc/self/fd/{number}" for number in os.listdir("/proc/self/fd"))
        return [
            link
            for link in links
            if os.path.exists(link) and os.readlink(link).startswith(str(export_folder))
        ]

    answer = download()
    assert len(opened()) == 1
    answer.close()
    assert not opened()
