"""Tests that only plain files in the inbox are read: no links or special files, none swapped meanwhile."""

import os
import socket

import pytest

from datasets_app.accounts.actor import COMMAND
from datasets_app.ingest import IncomingFile, IngestError, run_ingest, start_ingests
from datasets_app.ingest.inbox import in_inbox
from tests.factories import PROGRAM
from tests.ingest.conftest import concur_row, write_lines

pytestmark = pytest.mark.django_db


@pytest.fixture
def inbox(settings):
    return settings.INBOX_DIR


@pytest.fixture
def secret(tmp_path):
    return write_lines(tmp_path / "secret.jsonl", [concur_row(1)])


def refusal(name: str) -> str:
    with pytest.raises(IngestError) as refused:
        in_inbox(name)
    return str(refused.value)


def test_a_file_and_a_folder_of_it_are_found(inbox):
    write_lines(inbox / "a.jsonl", [concur_row(1)])
    (inbox / "folder").mkdir()
    assert in_inbox("/a.jsonl") == inbox / "a.jsonl"
    assert in_inbox("folder/") == inbox / "folder"


def test_a_link_is_refused_whatever_it_leads_to(inbox, secret):
    write_lines(inbox / "a.jsonl", [concur_row(1)])
    (inbox / "out").symlink_to(secret)
    (inbox / "in").symlink_to(inbox / "a.jsonl")
    (inbox / "folder").symlink_to(secret.parent)
    assert "out cannot be read from the inbox" in refusal("out")
    assert "it is a symbolic link" in refusal("in")
    assert "a step of its path is a symbolic link" in refusal("folder/secret.jsonl")


def test_an_inbox_that_is_missing_is_a_sentence(inbox):
    inbox.rmdir()
    assert "it cannot be opened (No such file or directory)" in refusal("a.jsonl")


def test_a_path_that_climbs_is_refused(inbox):
    for name in ("..", "../secret.jsonl", "a/../../secret.jsonl", "", "/", "a\x00b"):
        assert "Files in that folder can be read by name" in refusal(name)


def test_what_is_neither_file_nor_folder_is_refused_and_nobody_waits_for_it(inbox):
    os.mkfifo(inbox / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(inbox / "socket"))
        for name in ("pipe", "socket"):
            assert "it is neither a file nor a folder" in refusal(name)


def test_a_file_that_becomes_a_link_before_it_is_read_is_refused(inbox, secret):
    path = write_lines(inbox / "a.jsonl", [concur_row(1)])
    [ingest] = start_ingests(
        [IncomingFile(in_inbox("a.jsonl"), path.name, "concur")], COMMAND, in_background=False
    )
    path.unlink()
    path.symlink_to(secret)
    done = run_ingest(ingest.pk)
    assert (done.state, done.rows) == ("failed", 0)
    assert "it is a symbolic link" in done.error


def test_a_link_inside_a_folder_is_refused(inbox, tmp_path):
    outside = tmp_path / "2_Secret.py"
    outside.write_text(PROGRAM.format(number=1))
    level = inbox / "KernelBench" / "level1"
    level.mkdir(parents=True)
    (level / "2_Secret.py").symlink_to(outside)
    [ingest] = start_ingests(
        [IncomingFile(in_inbox("KernelBench"), "KernelBench")], COMMAND, in_background=False
    )
    done = run_ingest(ingest.pk)
    assert (done.state, done.rows) == ("failed", 0)
    assert "symbolic link" in done.error
