"""Tests of `python -m concur_client`."""

import json
import os
import pty
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import concur_client
from concur_client import Client, cli
from tests.clients.servers import answering
from tests.clients.test_places import CONTENT, release_of

pytestmark = pytest.mark.any_database
PACKAGE = Path(concur_client.__file__).parents[1]
YANKED = release_of("data/file").replace(b'"yanked_at": null', b'"yanked_at": "2026-11-23T10:00:00Z"')


def answer(path: str):
    if "/files/" in path:
        return 200, {}, CONTENT
    if path.startswith("/api/v1/samples/"):
        return 200, {}, b"".join(b'{"asked": "%s", "n": %d}\n' % (path.encode(), n) for n in range(5))
    if path == "/api/v1/releases/first/":
        return 200, {}, YANKED
    if path.startswith("/api/v1/releases/?"):
        return 200, {}, b'{"next": null, "results": [%s]}' % YANKED
    problem = b'{"detail": "There is no\\u001b[2J release."}'
    return 404, {"Content-Type": "application/problem+json"}, problem


@pytest.fixture
def url():
    with answering(answer) as found:
        yield found


def run(url: str, *arguments: str) -> int:
    return cli.main(["--url", url, *arguments])


def test_a_release_is_downloaded_and_its_files_are_named(url, tmp_path, capsys):
    assert run(url, "download", "first", "--into", str(tmp_path)) == 0
    printed = capsys.readouterr()
    assert printed.out == f"{tmp_path}/data/file\n"
    assert printed.err.splitlines() == [
        "Warning: Release first is yanked: ",
        f"1 files are complete in {tmp_path}; 0 of them were before.",
    ]
    assert run(url, "download", "first", "--into", str(tmp_path)) == 0
    assert "1 of them were before" in capsys.readouterr().err


def test_samples_are_printed_as_json_lines(url, capsys):
    filters = ("--filter", "tag=a", "--filter", "tag=b", "--filter=-language=c")
    status = run(url, "samples", *filters, "--fields", "n", "--limit", "2")
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert (status, [row["n"] for row in rows]) == (0, [0, 1])
    assert rows[0]["asked"].endswith("?tag=a&tag=b&-language=c&fields=n")


def test_releases_are_listed(url, capsys):
    assert run(url, "releases") == 0
    assert capsys.readouterr().out == "first\tdone\t1 rows\tpublic (yanked)\n"


def test_an_error_is_the_site_s_sentence_and_controls_no_terminal(url, tmp_path, capsys):
    assert run(url, "download", "nothing", "--into", str(tmp_path)) == 1
    assert capsys.readouterr().err == "There is no [2J release.\n"
    assert cli.main(["releases"]) == 1
    assert capsys.readouterr().err == "Give the address of the site, or set CONCUR_URL.\n"
    (tmp_path / "file").write_bytes(b"")
    assert run(url, "download", "first", "--into", str(tmp_path / "file")) == 1
    assert "Not a directory" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [[], ["download", "first"], ["samples", "--filter", "tag"], ["samples", "--limit", "-1"]]
)
def test_wrong_arguments_end_with_2(arguments, capsys):
    with pytest.raises(SystemExit) as error:
        cli.main(arguments)
    assert error.value.code == 2


def test_an_interrupt_says_that_the_same_command_goes_on(url, tmp_path, monkeypatch, capsys):
    def interrupt(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(Client, "download_release", interrupt)
    assert run(url, "download", "first", "--into", str(tmp_path)) == 130
    assert "the same command goes on from there" in capsys.readouterr().err


def started(url: str, *arguments: str, **options) -> subprocess.Popen:
    """Start the program with the package alone: it needs nothing of the site's code."""
    environment = {name: text for name, text in os.environ.items() if not name.startswith("DJANGO")}
    environment |= {"PYTHONPATH": str(PACKAGE), "CONCUR_URL": url, "TERM": "xterm", "COLUMNS": "120"}
    command = [sys.executable, "-m", "concur_client", *arguments]
    return subprocess.Popen(command, cwd="/", env=environment, **options)


def test_a_terminal_shows_progress(url, tmp_path):
    ours, theirs = pty.openpty()
    shown = bytearray()

    def read() -> None:
        try:
            while block := os.read(ours, 65536):
                shown.extend(block)
        except OSError:  # the other end is closed
            return

    reader = threading.Thread(target=read)
    reader.start()
    with started(
        url, "download", "first", "--into", str(tmp_path), stdout=subprocess.PIPE, stderr=theirs
    ) as program:
        os.close(theirs)
        assert program.wait(timeout=120) == 0
    reader.join()
    os.close(ours)
    assert b"first" in shown
    assert b"7/7 bytes" in shown


def test_a_reader_that_has_enough_is_no_error(url):
    pipe = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with started(url, "samples", **pipe) as program:
        program.stdout.close()
        assert program.wait(timeout=120) == 0
        assert program.stderr.read() == b""
